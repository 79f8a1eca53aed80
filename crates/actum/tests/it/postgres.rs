//! A server of PostgreSQL of the test's own, gone with it.

use crate::run::within;
use crate::world::World;
use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

pub struct Postgres {
    server: Child,
    port: u16,
}

const PASSWORD: &str = "secret-word";

impl Postgres {
    /// Nothing where the server is not installed.
    pub fn start(world: &World) -> Option<Self> {
        let programs = newest(Path::new("/usr/lib/postgresql"))?.join("bin");
        let folder = world.path("postgres");
        world.make_folder(&folder);
        let as_caller = |program: &Path| {
            let mut command = Command::new(program);
            // The server refuses to run as root.
            if rustix::process::geteuid().is_root() {
                command.uid(world.identity.user).gid(world.identity.group);
            }
            command.current_dir(&folder).env("LANG", "C.UTF-8").stdin(Stdio::null());
            command
        };
        world.make_file(&folder.join("password"), PASSWORD);
        let made = as_caller(&programs.join("initdb"))
            .args([
                "--pgdata",
                "data",
                "--username",
                "tester",
                "--auth",
                "scram-sha-256",
                "--pwfile",
                "password",
                "--no-sync",
            ])
            .output()
            .unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let server = as_caller(&programs.join("postgres"))
            .args(["-D", "data", "-h", "127.0.0.1", "-k", "", "-F", "-p", &port.to_string()])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let postgres = Self { server, port };
        let answers = || postgres.psql("SELECT 1").status().is_ok_and(|status| status.success());
        assert!(within(Duration::from_secs(30), answers), "the server does not answer");
        Some(postgres)
    }

    pub fn url(&self) -> String {
        format!("postgresql://tester:{PASSWORD}@127.0.0.1:{}/postgres", self.port)
    }

    /// What a statement gives, unadorned.
    pub fn sql(&self, statement: &str) -> String {
        let output = self.psql(statement).stdout(Stdio::piped()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn psql(&self, statement: &str) -> Command {
        let mut command = Command::new("psql");
        command.args(["-X", "-At", "-c", statement, &self.url()]).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

fn newest(folder: &Path) -> Option<PathBuf> {
    let mut versions: Vec<PathBuf> =
        std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path()).collect();
    versions.sort();
    versions.into_iter().rev().find(|version| version.join("bin/initdb").is_file())
}
