//! Secrets that were handed in are in nothing that is kept or told; the program's reader gets every byte.

use crate::run::{Done, contains};
use crate::world::{Caller, World};
use sha2::{Digest, Sha256};
use std::path::Path;

const SECRET: &str = "hunter2/Sup3r+S3cr3t=~x";

/// Prints it in several ways, and last byte by byte.
const PROGRAM: &str = r#"
import base64, binascii, os, sys, time, urllib.parse
secret = os.environ["MY_SECRET"].encode()
out = sys.stdout.buffer
for text in [secret, base64.b64encode(secret), base64.b64encode(b"user:" + secret + b"!"),
             base64.urlsafe_b64encode(secret), urllib.parse.quote(secret, safe="").encode(),
             binascii.hexlify(secret), secret[::-1]]:
    out.write(b"<" + text + b">\n")
for byte in secret:
    out.write(bytes([byte])); out.flush(); time.sleep(0.001)
out.write(b"\n"); out.flush()
sys.stderr.write("Traceback: " + secret.decode() + "\n")
"#;

/// Every way in which it was printed.
fn forms() -> Vec<String> {
    let hex: String = SECRET.bytes().map(|byte| format!("{byte:02x}")).collect();
    let percent = SECRET.replace('/', "%2F").replace('+', "%2B").replace('=', "%3D");
    let base64 = "aHVudGVyMi9TdXAzcitTM2NyM3Q9fn".to_owned();
    vec![SECRET.to_owned(), hex, percent, base64, SECRET.chars().rev().collect()]
}

/// Whether a folder holds one of them in any of its files.
fn found(folder: &Path, forms: &[String]) -> Option<String> {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            if let Some(found) = found(&path, forms) {
                return Some(found);
            }
            continue;
        }
        let bytes = std::fs::read(&path).unwrap_or_default();
        if let Some(form) = forms.iter().find(|form| contains(&bytes, form)) {
            return Some(format!("{form} in {}", path.display()));
        }
    }
    None
}

fn told(done: &Done) -> String {
    serde_json::to_string(done.report.as_ref().unwrap()).unwrap()
}

#[test]
fn what_was_granted_is_in_nothing_that_is_kept_and_passes_as_it_is() {
    let forms = forms();
    for world in World::each() {
        let store = world.path("home/store");
        let run = world.python(PROGRAM).variable("ACTUM_STORE", &store).variable("MY_SECRET", SECRET);
        let done = run.flags(&["--env", "MY_SECRET"]).go().expect(0);
        for form in &forms {
            assert!(contains(&done.stdout, form), "{form} passes: {done}");
            assert!(!told(&done).contains(form.as_str()), "{form} is told: {done}");
        }
        assert!(contains(&done.stderr, SECRET));
        let kept = done.told("/result/stdout").as_str().unwrap();
        assert!(kept.contains("<[redacted:23]>\n") && kept.ends_with("[redacted:23]\n"), "{kept}");
        assert_eq!(*done.told("/result/streams/stdout/redactions"), 8);
        assert_eq!(*done.told("/result/streams/stderr/redactions"), 1);
        let digest: String = Sha256::digest(kept).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(*done.told("/result/streams/stdout/sha256"), digest.as_str(), "hashed as it is kept");
        assert_eq!(found(&store, &forms), None);
    }
}

#[test]
fn events_and_command_lines_are_views() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let assigned = format!("TOKEN={SECRET}");
    let program = format!("import os, sys\nprint(os.environ['TOKEN'], sys.argv)  # {SECRET}");
    let run = || world.run(&["python3", "-c", &program, SECRET]).flags(&["--env", &assigned]);
    for form in ["--events", "--json", "--yaml", "--markdown"] {
        let done = run().flag(form).go().expect(0);
        assert!(!contains(&done.stdout, SECRET), "{form}: {done}");
        assert!(contains(&done.stdout, "[redacted:23]"), "{form}: {done}");
        assert!(!told(&done).contains(SECRET), "{form}: {done}");
    }
    let done = run().flags(&["--verbose", "--report", "/missing/folder/x"]).without_report().go();
    assert!(!contains(&done.stderr, SECRET), "{done}");
}

#[test]
fn values_of_an_env_file_and_what_looks_like_a_key_are_taken_out_and_nothing_else() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let store = world.path("home/store");
    world.make_file(
        &world.workspace().join(".env"),
        "DB_PASSWORD=\"corr3ct horse\"\nPORT=3000\nMODE=production\n",
    );
    let key = format!("ghp_{}", "a1B2".repeat(9));
    let code = format!(
        "print('corr3ct horse', 3000, 'production')\nprint('{key}')\nopen('left', 'w').write('{key}')"
    );
    let done = world.code("python", &code).variable("ACTUM_STORE", &store).go().expect(0);
    assert_eq!(done.out(), format!("corr3ct horse 3000 production\n{key}\n"));
    assert_eq!(*done.told("/result/stdout"), "[redacted:13] 3000 production\n[redacted:40]\n");
    assert!(!told(&done).contains(&key), "{done}");
    // A file is the user's own.
    assert_eq!(std::fs::read_to_string(world.workspace().join("left")).unwrap(), key);
    let quiet = "[redact]\noff = [\"github\", \"dotenv\"]\npatterns = [\"producti(on)\"]\n";
    world.make_file(&world.path("home/.config/actum/config.toml"), quiet);
    let done = world.code("python", &code).variable("ACTUM_STORE", &store).go().expect(0);
    assert_eq!(*done.told("/result/stdout"), format!("corr3ct horse 3000 producti[redacted:2]\n{key}\n"));
}

#[test]
fn what_waits_for_approval_is_listed_without_them() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let store = world.path("home/store");
    let assigned = format!("TOKEN={SECRET}");
    let flags = ["--approval", "always", "--env", assigned.as_str()];
    let done = world.run(&["echo", SECRET]).variable("ACTUM_STORE", &store).flags(&flags).go().expect(120);
    assert!(!contains(&done.stderr, SECRET) && !told(&done).contains(SECRET), "{done}");
    let listed =
        world.actum_with(&["approve"]).variable("ACTUM_STORE", &store).without_report().go().expect(0);
    assert!(contains(&listed.stdout, "[redacted:23]") && !contains(&listed.stdout, SECRET), "{listed}");
    let done = world
        .actum_with(&["approve", "last"])
        .variable("ACTUM_STORE", &store)
        .without_report()
        .go()
        .expect(0);
    assert_eq!(done.out(), format!("{SECRET}\n"), "it is carried out as it was asked");
    assert_eq!(found(&store, &forms()), None);
}

#[test]
fn a_session_keeps_them_to_itself() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let store = world.path("home/store");
    let assigned = format!("TOKEN={SECRET}");
    let flags = ["--session", "redacted", "--env", assigned.as_str()];
    let code = "import os\nprint(os.environ['TOKEN'])";
    let done = world.code("python", code).variable("ACTUM_STORE", &store).flags(&flags).go().expect(0);
    assert_eq!(done.out(), format!("{SECRET}\n"));
    assert_eq!(*done.told("/result/stdout"), "[redacted:23]\n");
    assert!(!told(&done).contains(SECRET), "{done}");
    assert_eq!(found(&store, &forms()), None);
    let stop = world.actum_with(&["session", "stop", "redacted"]).variable("ACTUM_STORE", &store);
    stop.without_report().go().expect(0);
}
