//! The manifest of a run that goes on, in the store: the program cannot reach it there. Of a run that was killed together with its
//! supervisor it is what says how it was asked for, grants among it; the copy in the output folder is the program's to write.

use crate::error::ExperimentError;
use crate::manifest::Manifest;
use actum_engine::Engine;
use actum_gate::own;
use actum_model::RunId;
use actum_store::Kept;

/// Keeps it as long as there is no record. Without it the run can go on, but not be continued if it is killed.
pub(crate) fn write(engine: &Engine, manifest: &Manifest) {
    let Ok(kept) = engine.store().find(&manifest.run.to_string()) else { return };
    if let Ok(text) = serde_json::to_vec(manifest) {
        let _ = own::write(&kept.folder.join(Manifest::FILE), &text);
    }
}

/// The record has it from now on.
pub(crate) fn hand_over(engine: &Engine, run: RunId) {
    if let Ok(kept) = engine.store().find(&run.to_string()) {
        let _ = own::remove_file(&kept.folder.join(Manifest::FILE));
    }
}

/// The run is over, however that came.
pub(crate) fn remove(engine: &Engine, run: RunId) {
    if let Ok(kept) = engine.store().find(&run.to_string())
        && own::remove_file(&kept.folder.join(Manifest::FILE)).is_ok()
    {
        // Goes only when nothing else is in it.
        let _ = own::remove_folder(&kept.folder);
    }
}

/// The manifest of a run that was lost.
pub(crate) fn read(kept: &Kept) -> Result<Manifest, ExperimentError> {
    let run = kept.id.short();
    let bytes = own::read(&kept.folder.join(Manifest::FILE))
        .map_err(|_| ExperimentError::NoManifest { run: run.clone() })?;
    let manifest: Manifest = serde_json::from_slice(&bytes)
        .map_err(|source| ExperimentError::Manifest { run: run.clone(), source })?;
    if manifest.run == kept.id { Ok(manifest) } else { Err(ExperimentError::NoManifest { run }) }
}
