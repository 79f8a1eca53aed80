//! Whose rights the attempts run with.

use crate::AttackError;
use std::{ffi::OsString, fs, os::unix::fs::MetadataExt, path::PathBuf};

/// A line of /etc/passwd, as far as it matters here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct User {
    pub name: String,
    pub uid: u32,
    pub gid: u32,
    pub home: PathBuf,
    /// Whether the harness is someone else, and must change over.
    pub changes: bool,
}

impl User {
    /// The named user, or the one that runs this process.
    pub(crate) fn find(name: Option<&str>) -> Result<User, AttackError> {
        let passwd = fs::read_to_string("/etc/passwd").unwrap_or_default();
        let own = fs::metadata("/proc/self")
            .map(|data| data.uid())
            .map_err(|source| AttackError::Prepare { path: "/proc/self".into(), source })?;
        let found = passwd.lines().filter_map(|line| User::read(line, own)).find(|user| match name {
            Some(name) => user.name == name,
            None => user.uid == own,
        });
        found.ok_or_else(|| AttackError::UnknownUser { name: name.unwrap_or("of this process").to_owned() })
    }

    fn read(line: &str, own: u32) -> Option<User> {
        let fields: Vec<&str> = line.split(':').collect();
        let [name, _, uid, gid, _, home, _] = fields[..] else { return None };
        let uid = uid.parse().ok()?;
        Some(User {
            name: name.to_owned(),
            uid,
            gid: gid.parse().ok()?,
            home: home.into(),
            changes: uid != own,
        })
    }

    /// Stands before a command that must run as this user.
    pub(crate) fn prefix(&self) -> Vec<OsString> {
        if !self.changes {
            return Vec::new();
        }
        let (uid, gid) = (self.uid.to_string(), self.gid.to_string());
        ["setpriv", "--reuid", &uid, "--regid", &gid, "--init-groups", "--"].map(OsString::from).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_and_another_user_needs_a_change() {
        let user = User::read("tester:x:1001:1002:,,,:/home/tester:/bin/bash", 0).unwrap();
        assert_eq!((user.uid, user.gid, user.home.to_str()), (1001, 1002, Some("/home/tester")));
        assert_eq!(user.prefix()[2], "1001");
        assert!(User::read("root:x:0:0:root:/root:/bin/sh", 0).unwrap().prefix().is_empty());
        assert_eq!(User::read("nonsense", 0), None);
    }
}
