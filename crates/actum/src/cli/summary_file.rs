//! The file that `--summary` appends to, as the step summaries of CI systems want it.

use super::output_place::OutputPlace;
use super::run::Problem;
use actum_gate::File;
use rustix::fs::OFlags;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Opened before the run: what cannot be written is told before an hour was spent, and what the program puts in the
/// place of the file meanwhile is not it.
pub(in crate::cli) struct SummaryFile {
    path: PathBuf,
    file: File,
}

impl SummaryFile {
    pub(in crate::cli) fn open(path: &Path) -> Result<Self, Problem> {
        let path = path.to_path_buf();
        // A link is not followed: it may come with the project, and lead to a file that others act on.
        let opened = OutputPlace::find(&path).and_then(|place| place.open(OFlags::APPEND | OFlags::CREATE));
        match opened {
            Ok(file) => Ok(Self { path, file }),
            Err(source) => Err(Problem::Report { path, source }),
        }
    }

    /// Adds a section below what is there. In one write, so that two runs that end at once do not mix.
    pub(in crate::cli) fn append(&self, section: &str) -> Result<(), Problem> {
        let text = format!("{}\n\n", section.trim_end());
        (&self.file)
            .write_all(text.as_bytes())
            .map_err(|source| Problem::Report { path: self.path.clone(), source })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_follow_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("summary.md");
        for section in ["# one\n", "# two"] {
            SummaryFile::open(&path).unwrap().append(section).unwrap();
        }
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "# one\n\n# two\n\n");
        assert!(SummaryFile::open(folder.path()).is_err());
    }
}
