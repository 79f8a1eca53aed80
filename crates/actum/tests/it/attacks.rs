//! The whole attack catalogue against the binary: every wall holds that its tier promises.
//!
//! A minute and more each. Suites carry labels, so two at once would not see each other's canaries; but attempts
//! measure time and fill the machine on purpose, so one at a time: a lock here, and a group in nextest's settings.

use crate::world::{Caller, ORDINARY, Walls, World, docker_rules};
use std::fs::File;
use std::process::Command;

fn hold(caller: Caller, walls: Walls) {
    let Some(world) = World::new(caller) else { return };
    let lock = File::create(std::env::temp_dir().join("actum-it-attacks.lock")).unwrap();
    lock.lock().unwrap();
    let mut command = Command::new(world.actum());
    command.args(["sandbox", "test"]).current_dir("/").env_clear().env("PATH", crate::world::PATH);
    command.env("HOME", world.path("home")).env("LANG", "C.UTF-8");
    if walls != Walls::N {
        let rules = world.path("docker-rules");
        std::fs::copy(docker_rules(), &rules).unwrap();
        command.args(["--tier", "L", "--prefix"]).arg(rules);
    }
    if caller == Caller::Ordinary && rustix::process::geteuid().is_root() {
        command.args(["--user", ORDINARY]);
    }
    let done = command.output().unwrap();
    let text = String::from_utf8_lossy(&done.stdout);
    let loud: Vec<&str> =
        text.lines().filter(|line| line.starts_with("ESCAPED") || line.starts_with("NOT RUN")).collect();
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{}:\n{}\n{said}", done.status, loud.join("\n"));
}

#[test]
fn root_with_namespaces() {
    hold(Caller::Root, Walls::N);
}

#[test]
fn an_ordinary_user_with_namespaces() {
    hold(Caller::Ordinary, Walls::N);
}

#[test]
fn root_in_a_container() {
    hold(Caller::Root, Walls::Docker);
}

#[test]
fn an_ordinary_user_in_a_container() {
    hold(Caller::Ordinary, Walls::Docker);
}
