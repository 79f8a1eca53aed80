//! The committed tree as values: what git knows or would take, read once.

use std::collections::BTreeSet;
use std::fs;

use crate::command::Command;
use crate::error::Error;

/// One text file; the path is relative to the root, with `/`.
#[derive(Debug, Clone)]
pub struct TextFile {
    pub path: String,
    pub text: String,
}

/// All files by name, and the text of those that are text.
#[derive(Debug, Default)]
pub struct Tree {
    paths: BTreeSet<String>,
    files: Vec<TextFile>,
}

impl Tree {
    /// Reads tracked files and untracked ones that git does not ignore, so that a check before a commit sees the
    /// same tree as one after it.
    pub fn read() -> Result<Tree, Error> {
        let listed = Command::new("git", &["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
            .output()?;
        let mut tree = Tree::default();
        for path in listed.split('\0').filter(|path| !path.is_empty()) {
            tree.take(path)?;
        }
        Ok(tree)
    }

    /// A tree made of values, for tests.
    pub fn of(files: &[(&str, &str)]) -> Tree {
        let paths = files.iter().map(|(path, _)| (*path).to_owned()).collect();
        let files = files
            .iter()
            .map(|(path, text)| TextFile { path: (*path).to_owned(), text: (*text).to_owned() })
            .collect();
        Tree { paths, files }
    }

    pub fn files(&self) -> impl Iterator<Item = &TextFile> {
        self.files.iter()
    }

    pub fn with_extension(&self, extension: &str) -> impl Iterator<Item = &TextFile> {
        self.files
            .iter()
            .filter(move |file| file.path.rsplit_once('.').is_some_and(|(_, last)| last == extension))
    }

    pub fn text(&self, path: &str) -> Option<&str> {
        self.files.iter().find(|file| file.path == path).map(|file| file.text.as_str())
    }

    /// A file, or a folder that holds one.
    pub fn has(&self, path: &str) -> bool {
        let folder = format!("{}/", path.trim_end_matches('/'));
        path.is_empty()
            || self.paths.contains(path)
            || self.paths.iter().any(|known| known.starts_with(&folder))
    }

    fn take(&mut self, path: &str) -> Result<(), Error> {
        let cannot_read = |source| Error::Read { path: path.to_owned(), source };
        let Ok(metadata) = fs::symlink_metadata(path) else {
            return Ok(()); // Deleted in the working tree, and not yet in the index.
        };
        self.paths.insert(path.to_owned());
        if !metadata.is_file() {
            return Ok(());
        }
        let bytes = fs::read(path).map_err(cannot_read)?;
        if let Ok(text) = String::from_utf8(bytes)
            && !text.contains('\0')
        {
            self.files.push(TextFile { path: path.to_owned(), text });
        }
        Ok(())
    }
}

/// Makes the root of the workspace the current folder, wherever in it we were called.
pub fn enter_root() -> Result<(), Error> {
    let manifest =
        Command::cargo(&["locate-project", "--workspace", "--message-format", "plain"]).output()?;
    let manifest = manifest.trim();
    let root = manifest.strip_suffix("/Cargo.toml").unwrap_or(manifest);
    std::env::set_current_dir(root).map_err(|source| Error::Read { path: root.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_there_when_they_hold_something() {
        let tree = Tree::of(&[("docs/design/walls.md", "")]);
        for there in ["", "docs", "docs/", "docs/design", "docs/design/walls.md"] {
            assert!(tree.has(there), "{there}");
        }
        for absent in ["doc", "docs/design/walls", "design"] {
            assert!(!tree.has(absent), "{absent}");
        }
    }
}
