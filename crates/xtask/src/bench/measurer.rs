//! Programs that measure: built for release, started as ourselves or as another user, heard to their end.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use crate::check::metadata;
use crate::command::Command;
use crate::error::Error;

/// Rounds, and the user to measure as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    pub rounds: String,
    pub user: Option<String>,
}

impl Asked {
    /// Reads `[ROUNDS] [--user NAME]`, the words after the name of a measurement.
    pub fn read(name: &str, arguments: &[String]) -> Result<Asked, Error> {
        let mut asked = Asked { rounds: "300".to_owned(), user: None };
        let mut rest = arguments.iter();
        while let Some(word) = rest.next() {
            match (word.as_str(), word.parse::<u32>()) {
                ("--user", _) => asked.user = rest.next().cloned(),
                (_, Ok(_)) => asked.rounds.clone_from(word),
                (_, Err(_)) => {
                    let given = format!("bench {name} {}", arguments.join(" "));
                    return Err(Error::Arguments { given });
                }
            }
        }
        Ok(asked)
    }
}

/// Builds one binary for release; true when that worked.
pub fn build(package: &str, binary: &str) -> Result<bool, Error> {
    Command::cargo(&["build", "--release", "--package", package, "--bin", binary]).live()
}

/// Starts a binary and returns what it told. `beside` is another binary, whose path is its last word.
pub fn tell(binary: &str, rounds: &str, beside: Option<&str>, user: Option<&str>) -> Result<String, Error> {
    let folder = format!("{}/release", metadata::target_folder()?);
    let Some(user) = user else {
        let words: Vec<String> = words(&folder, rounds, beside);
        return Command::new(&format!("{folder}/{binary}"), &borrowed(&words)).output();
    };
    // The other user need not be able to reach this folder.
    let copies = Copies::make(&folder, [Some(binary), beside])?;
    let folder = copies.folder.display().to_string();
    let (program, words) = (format!("{folder}/{binary}"), words(&folder, rounds, beside));
    let all: Vec<&str> = ["-u", user, "--", &program].into_iter().chain(borrowed(&words)).collect();
    // Not the home of whoever asks: what is in it is neither theirs to read nor to be measured.
    Command::new("runuser", &all).with("HOME", "/nonexistent").output()
}

fn words(folder: &str, rounds: &str, beside: Option<&str>) -> Vec<String> {
    [rounds.to_owned()].into_iter().chain(beside.map(|name| format!("{folder}/{name}"))).collect()
}

fn borrowed(words: &[String]) -> Vec<&str> {
    words.iter().map(String::as_str).collect()
}

/// A folder that everybody can read, gone when this is dropped.
struct Copies {
    folder: PathBuf,
}

impl Copies {
    fn make(from: &str, names: [Option<&str>; 2]) -> Result<Copies, Error> {
        let copies =
            Copies { folder: std::env::temp_dir().join(format!("actum-measure-{}", std::process::id())) };
        let cannot_write = |source| Error::Write { path: copies.folder.display().to_string(), source };
        fs::create_dir(&copies.folder).map_err(cannot_write)?;
        fs::set_permissions(&copies.folder, fs::Permissions::from_mode(0o755)).map_err(cannot_write)?;
        for name in names.into_iter().flatten() {
            fs::copy(format!("{from}/{name}"), copies.folder.join(name)).map_err(cannot_write)?;
        }
        Ok(copies)
    }
}

impl Drop for Copies {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_rounds_and_a_user() {
        let given = |list: &[&str]| {
            Asked::read("start", &list.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
        };
        let asked = given(&["50", "--user", "me"]).unwrap();
        assert_eq!(asked, Asked { rounds: "50".to_owned(), user: Some("me".to_owned()) });
        assert!(given(&["fast"]).is_err());
    }

    #[test]
    fn copies_go_with_their_folder() {
        let names = [Some("mod.rs"), None];
        let copies = Copies::make(concat!(env!("CARGO_MANIFEST_DIR"), "/src/bench"), names).unwrap();
        let folder = copies.folder.clone();
        assert!(folder.join("mod.rs").is_file());
        drop(copies);
        assert!(!folder.exists());
    }
}
