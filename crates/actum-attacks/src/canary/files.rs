//! Secret files in the real home of the user, and a second home beside the workspaces.

use crate::{AttackError, Parameters, Token, User};
use std::{
    fs,
    os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt, chown},
    path::{Path, PathBuf},
};

/// Where attempts try to plant a file, beside the homes. Written to only under a name that carries the marker.
const SYSTEM_FOLDERS: [&str; 5] = ["/usr", "/usr/local", "/usr/local/bin", "/etc", "/var/tmp"];

/// The planted files.
#[derive(Debug)]
pub(super) struct Files {
    home: PathBuf,
    second_home: PathBuf,
    real_home: PathBuf,
    secrets: Vec<Secret>,
}

/// One file, as it was planted.
#[derive(Debug)]
struct Secret {
    path: PathBuf,
    token: Token,
    text: String,
    owner: (u32, u32),
}

/// Files below the canary home: path, name of the token, text with `{}` for the token.
const SECRETS: [(&str, &str, &str); 14] = [
    ("id_ed25519", "ssh-key", "-----BEGIN OPENSSH PRIVATE KEY-----\n{}\n-----END OPENSSH PRIVATE KEY-----\n"),
    (".aws/credentials", "cloud", "[default]\naws_secret_access_key = {}\n"),
    (".netrc", "netrc", "machine example.test login canary password {}\n"),
    (".git-credentials", "git-credentials", "https://canary:{}@example.test\n"),
    (".docker/config.json", "registry", "{\"auths\":{\"example.test\":{\"auth\":\"{}\"}}}\n"),
    (".claude/.credentials.json", "agent-credentials", "{\"claudeAiOauth\":{\"accessToken\":\"{}\"}}\n"),
    (".pgpass", "database", "example.test:5432:*:canary:{}\n"),
    (".config/gh/hosts.yml", "forge", "example.test:\n    oauth_token: {}\n"),
    (".config/rclone/rclone.conf", "remote-storage", "[canary]\ntype = s3\nsecret_access_key = {}\n"),
    ("config/actum.toml", "config", "secret = \"{}\"\n"),
    ("runs/other/result.txt", "other-run", "result {}\n"),
    ("store/ledger.db", "store", "ledger {}\n"),
    ("leak/secret.txt", "leaked-folder", "leaked {}\n"),
    ("victim/secret.txt", "victim-folder", "victim {}\n"),
];

impl Files {
    pub(super) fn plant(base: &Path, user: &User, label: &str) -> Result<Files, AttackError> {
        let mut files = Files {
            home: user.home.join(format!(".actum-canary-{label}")),
            second_home: base.join("home"),
            real_home: user.home.clone(),
            secrets: Vec::new(),
        };
        for (path, name, text) in SECRETS {
            files.add(files.home.join(path), name, text, user)?;
        }
        files.add(files.second_home.join("id_ed25519"), "ssh-key-beside", SECRETS[0].2, user)?;
        let import = "import sys\nprint('loaded {}', file=sys.stderr)\n";
        files.add(files.home.join("python-path/sitecustomize.py"), "python-path", import, user)?;
        Ok(files)
    }

    fn add(&mut self, path: PathBuf, name: &'static str, text: &str, user: &User) -> Result<(), AttackError> {
        let token = Token::fresh(name)?;
        let secret =
            Secret { path, text: text.replace("{}", token.text()), token, owner: (user.uid, user.gid) };
        secret.write()?;
        self.secrets.push(secret);
        Ok(())
    }

    pub(super) fn home(&self) -> &Path {
        &self.home
    }

    pub(super) fn tokens(&self) -> Vec<Token> {
        self.secrets.iter().map(|secret| secret.token.clone()).collect()
    }

    pub(super) fn inodes(&self) -> Vec<(u64, u64)> {
        let data = self.secrets.iter().filter_map(|secret| fs::symlink_metadata(&secret.path).ok());
        data.map(|data| (data.dev(), data.ino())).collect()
    }

    pub(super) fn parameters(&self) -> Parameters {
        let mut parameters = Parameters::default();
        parameters.set("canary_home", self.home.display());
        parameters.set("second_home", self.second_home.display());
        parameters.set("home", self.real_home.display());
        parameters.set("secret", self.home.join("id_ed25519").display());
        parameters.set("secret_size", self.secrets.first().map_or(0, |secret| secret.text.len()));
        parameters.set(
            "plant_folders",
            self.plant_folders().iter().map(|at| at.display().to_string()).collect::<Vec<_>>().join(":"),
        );
        parameters
    }

    /// What appeared, changed or vanished; all of it is put right.
    pub(super) fn changes(&self, marker: &str) -> Result<Vec<String>, AttackError> {
        let mut changes = Vec::new();
        for folder in self.plant_folders() {
            let planted = folder.join(format!(".actum-planted-{marker}"));
            if planted.symlink_metadata().is_ok() {
                changes.push(format!("{} appeared", planted.display()));
                remove(&planted);
            }
        }
        for secret in &self.secrets {
            if let Some(what) = secret.differs() {
                changes.push(format!("{} {what}", secret.path.display()));
                remove(&secret.path);
                secret.write()?;
            }
        }
        Ok(changes)
    }

    fn plant_folders(&self) -> Vec<PathBuf> {
        let homes = [&self.home, &self.second_home, &self.real_home].map(PathBuf::clone);
        homes.into_iter().chain(SYSTEM_FOLDERS.map(PathBuf::from)).collect()
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        // The second home goes with the folder of the suite.
        let _ = fs::remove_dir_all(&self.home);
    }
}

impl Secret {
    fn write(&self) -> Result<(), AttackError> {
        let failed = || AttackError::prepare(&self.path);
        let folder = self.path.parent().unwrap_or(Path::new("/"));
        // The folder above may be new too; each level belongs to the user, or the runs could not reach it.
        for level in [folder.parent(), Some(folder)].into_iter().flatten().filter(|level| !level.exists()) {
            fs::DirBuilder::new().recursive(true).mode(0o755).create(level).map_err(failed())?;
            chown(level, Some(self.owner.0), Some(self.owner.1)).map_err(failed())?;
        }
        fs::write(&self.path, &self.text).map_err(failed())?;
        fs::set_permissions(&self.path, fs::Permissions::from_mode(0o600)).map_err(failed())?;
        chown(&self.path, Some(self.owner.0), Some(self.owner.1)).map_err(failed())
    }

    fn differs(&self) -> Option<&'static str> {
        let Ok(data) = fs::symlink_metadata(&self.path) else { return Some("vanished") };
        if (data.uid(), data.gid()) != self.owner || data.mode() & 0o7777 != 0o600 {
            return Some("changed its owner or mode");
        }
        let same = fs::read(&self.path).is_ok_and(|bytes| bytes == self.text.as_bytes());
        (!same).then_some("changed its contents")
    }
}

fn remove(path: &Path) {
    let _ = fs::remove_file(path).or_else(|_| fs::remove_dir_all(path));
}
