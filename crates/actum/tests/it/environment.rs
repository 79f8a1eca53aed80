//! Variables: what describes the machine goes in, what is secret or loads code does not, what is granted does.

use crate::world::{Walls, World};
use std::collections::BTreeMap;

const SECRETS: &[&str] = &[
    "AWS_SECRET_ACCESS_KEY",
    "GITHUB_TOKEN",
    "OPENAI_API_KEY",
    "SSH_AUTH_SOCK",
    "DBUS_SESSION_BUS_ADDRESS",
    "LD_LIBRARY_PATH",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "BASH_ENV",
    "NODE_OPTIONS",
    "GIT_SSH_COMMAND",
    "XDG_RUNTIME_DIR",
];

fn variables(text: &str) -> BTreeMap<String, String> {
    let pairs = text.split('\0').filter_map(|pair| pair.split_once('='));
    pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

#[test]
fn secrets_stay_outside_and_grants_go_in() {
    for world in World::each() {
        for walls in Walls::ALL {
            let run =
                SECRETS.iter().fold(world.run(&["env", "-0"]), |run, name| run.variable(name, "/hidden"));
            let run = run.variable("MINE", "my own").variable("TZ", "Europe/Berlin").walls(walls);
            let run =
                run.flags(&["--env", "MINE", "--env", "NEW=a=b c", "--env", "EMPTY=", "--env", "UNSET"]);
            let done = run.go().expect(0);
            let seen = variables(&done.out());
            for secret in SECRETS {
                assert!(!seen.contains_key(*secret), "{secret} went in: {done}");
            }
            for (name, value) in
                [("MINE", "my own"), ("NEW", "a=b c"), ("EMPTY", ""), ("TZ", "Europe/Berlin"), ("ACTUM", "1")]
            {
                assert_eq!(seen.get(name).map(String::as_str), Some(value), "{name} {done}");
            }
            assert!(!seen.contains_key("UNSET"), "{done}");
            let home = world.path("home").display().to_string();
            assert!(seen["HOME"] != home && seen["TMPDIR"].starts_with('/'), "{done}");
        }
    }
}

/// Into the program it must not go; what it does to us is the caller's own business.
#[test]
fn preloading_is_not_passed_on() {
    for world in World::each() {
        let done = world.run(&["env", "-0"]).variable("LD_PRELOAD", "/missing/preload.so").go().expect(0);
        assert!(!variables(&done.out()).contains_key("LD_PRELOAD"), "{done}");
    }
}

#[test]
fn home_and_temporary_folder_can_be_written_and_go_away() {
    let program = "import os, tempfile\nopen(os.path.expanduser('~/x'), 'w').write('x')\n\
                   print(tempfile.mkstemp()[1])\nprint(os.path.expanduser('~'))";
    for world in World::each() {
        for walls in Walls::ALL {
            let done = world.python(program).walls(walls).go().expect(0);
            for path in done.out().lines() {
                assert!(!std::path::Path::new(path).exists(), "{path} is left: {done}");
            }
        }
    }
}
