//! Why something could not be kept or found. Read after "failed to".

use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("make the folder {}", path.display())]
    Make { path: PathBuf, source: io::Error },
    #[error("list the runs in {}", path.display())]
    List { path: PathBuf, source: io::Error },
    #[error("find a run: none is kept in {}", path.display())]
    Nothing { path: PathBuf },
    #[error("find the run `{text}` in {}", path.display())]
    Unknown { text: String, path: PathBuf },
    #[error("find a request `{text}` that waits for approval")]
    NothingWaits { text: String },
    #[error("tell which run `{text}` means: {} of them match", candidates.len())]
    Ambiguous { text: String, candidates: Vec<String> },
}

impl StoreError {
    /// What to do next, where we know it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Make { .. } => Some("name a folder that you can write with ACTUM_STORE".to_owned()),
            Self::List { .. } => None,
            Self::Nothing { .. } => Some("`actum run` keeps one each time".to_owned()),
            Self::Unknown { .. } => {
                Some("use the id that the run ended with, its beginning or end, or `last`".to_owned())
            }
            Self::NothingWaits { .. } => {
                Some("it was approved already, or never asked; `actum approve` lists what waits".to_owned())
            }
            Self::Ambiguous { candidates, .. } => {
                let shown: Vec<&str> = candidates.iter().take(5).map(String::as_str).collect();
                Some(format!("give more of it: {}", shown.join(", ")))
            }
        }
    }
}
