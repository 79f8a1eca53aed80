//! Folders and file systems that faults happen in. Each is gone when its value is dropped.

use std::fs;
use std::path::PathBuf;

use crate::check::metadata;
use crate::command::Command;
use crate::error::Error;

/// A folder below the target folder, which is on a real disk.
pub struct Place {
    folder: PathBuf,
}

impl Place {
    pub fn make(name: &str) -> Result<Place, Error> {
        let folder = PathBuf::from(metadata::target_folder()?).join(format!("faults-{name}"));
        let place = Place { folder };
        let cannot_write = |source| Error::Write { path: place.folder.display().to_string(), source };
        if place.folder.exists() {
            // A round that was killed leaves its file system mounted.
            for entry in fs::read_dir(&place.folder).into_iter().flatten().flatten() {
                let _ = Command::new("umount", &["--lazy", &entry.path().display().to_string()]).output();
            }
            fs::remove_dir_all(&place.folder).map_err(cannot_write)?;
        }
        fs::create_dir_all(&place.folder).map_err(cannot_write)?;
        Ok(place)
    }

    /// A path in it, as a word for a program.
    pub fn path(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// A mounted file system.
pub struct Mount {
    pub at: String,
}

impl Mount {
    /// Mounts with these words, at a folder that is made if need be.
    pub fn make(words: &[&str], at: &str) -> Result<Mount, Error> {
        fs::create_dir_all(at).map_err(|source| Error::Write { path: at.to_owned(), source })?;
        let all: Vec<&str> = words.iter().copied().chain([at]).collect();
        Command::new("mount", &all).output()?;
        Ok(Mount { at: at.to_owned() })
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        // Somebody who was just killed may still be on the way out.
        for _ in 0..100 {
            if Command::new("umount", &[&self.at]).output().is_ok() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        let _ = Command::new("umount", &["--lazy", &self.at]).output();
    }
}

/// A file as a disk.
pub struct Loop {
    pub path: String,
}

impl Loop {
    pub fn over(image: &str) -> Result<Loop, Error> {
        let path = Command::new("losetup", &["--find", "--show", image]).output()?;
        Ok(Loop { path: path.trim().to_owned() })
    }

    /// A file system that nobody sees any more lives on until the last of its files is closed; mounting its disk before would bring
    /// back the one that was shut down.
    pub fn wait_until_free(&self) {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        let alive = PathBuf::from("/sys/fs/ext4").join(name);
        for _ in 0..3000 {
            if !alive.exists() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = Command::new("losetup", &["--detach", &self.path]).output();
    }
}

/// Why nothing can be mounted here, if so.
pub fn obstacle() -> Result<Option<String>, Error> {
    let is_root = Command::new("id", &["-u"]).output()?.trim() == "0";
    if !is_root {
        return Ok(Some("only root may mount a file system".to_owned()));
    }
    let at = std::env::temp_dir().join(format!("actum-mount-{}", std::process::id()));
    let tried = Mount::make(&["-t", "tmpfs", "-o", "size=64k", "none"], &at.display().to_string());
    let reason = tried.err().map(|error| format!("mounting is not possible: {error}"));
    let _ = fs::remove_dir(at);
    Ok(reason)
}
