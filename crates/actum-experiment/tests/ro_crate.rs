//! Runs as Process Run Crates, held against the validator of the people who make the profile.

use actum_experiment::manifest::{GpuFacts, KnobFacts, Manifest, ParameterFacts, ParameterOrigin, Purpose};
use actum_experiment::result::ExperimentResult;
use actum_experiment::ro_crate::{
    CrateInput, CrateSource, FileRole, METADATA, Organization, Publication, run_crate,
};
use actum_model::{Bytes, Digest, ExitCode, Moment, Outcome, Span};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A run with the files that its crate holds.
struct Case {
    name: &'static str,
    manifest: Manifest,
    result: Option<ExperimentResult>,
    files: Vec<(FileRole, String, Vec<u8>)>,
    publication: Publication,
}

fn usual(name: &'static str) -> Case {
    let file =
        |role: FileRole, path: &str, content: &str| (role, path.to_owned(), content.as_bytes().to_vec());
    Case {
        name,
        manifest: serde_json::from_str(include_str!("data/manifest.json")).expect("it is a manifest"),
        result: Some(serde_json::from_str(include_str!("data/result.json")).expect("it is a result")),
        files: vec![
            file(FileRole::Manifest, "manifest.json", include_str!("data/manifest.json")),
            file(FileRole::Result, "results.json", include_str!("data/result.json")),
            file(FileRole::Metrics, "metrics.jsonl", "{\"key\":\"loss\",\"value\":0.1}\n"),
            file(FileRole::Stdout, "stdout", "loss: 0.1102\n"),
            file(FileRole::Stderr, "stderr", ""),
            file(FileRole::Record, "record.json", "{}"),
            file(FileRole::Patch, "changes.patch", "diff --git a/x b/x\n"),
            file(FileRole::Lock, "requirements.lock", "numpy==2.4.6\n"),
            file(FileRole::Config, "config.yaml", "width: 64\n"),
            file(FileRole::Input, "train.py", "print(1)\n"),
            file(FileRole::Input, "data/digits.csv", "1,2\n"),
            file(FileRole::Output, "model.npz", "bytes"),
        ],
        publication: Publication {
            author: Some("Ada Example".to_owned()),
            organization: Some(Organization {
                name: "Example University".to_owned(),
                url: "https://example.org".to_owned(),
            }),
            license: Some("https://spdx.org/licenses/CC0-1.0".to_owned()),
            repository: Some("https://example.org/ada/digits".to_owned()),
            published_at: Moment(1_763_290_000_000_000),
            actum: "0.1.0".to_owned(),
        },
    }
}

fn changed(name: &'static str, change: impl Fn(&mut Case)) -> Case {
    let mut case = usual(name);
    change(&mut case);
    case
}

fn ended(case: &mut Case, outcome: Outcome, code: u8) {
    let result = case.result.as_mut().expect("there is one");
    (result.outcome, result.exit_code) = (outcome, ExitCode(code));
}

fn outputs(case: &mut Case, names: &[&str]) {
    case.files
        .extend(names.iter().map(|name| (FileRole::Output, (*name).to_owned(), name.as_bytes().to_vec())));
}

/// Runs that differ in what an export depends on.
fn cases() -> Vec<Case> {
    let mut cases = ends();
    cases.extend(texts());
    cases.extend(sizes());
    cases
}

fn ends() -> Vec<Case> {
    vec![
        usual("usual"),
        changed("failure", |case| ended(case, Outcome::Failure, 3)),
        changed("timeout", |case| ended(case, Outcome::Timeout, 124)),
        changed("cancelled", |case| ended(case, Outcome::Cancelled, 130)),
        changed("error", |case| ended(case, Outcome::Error, 125)),
        changed("no-end", |case| case.result = None),
        changed("instant", |case| case.result.as_mut().expect("there is one").duration = Span::default()),
        changed("smoke", |case| case.manifest.purpose = Purpose::Smoke),
        changed("trial", |case| case.manifest.purpose = Purpose::Trial { sweep: "s1".to_owned(), index: 4 }),
        changed("reproduction", |case| {
            case.manifest.purpose = Purpose::Reproduction { of: case.manifest.run }
        }),
        changed("no-git", |case| case.manifest.git = None),
        changed("clean", |case| case.manifest.git.as_mut().expect("there is one").dirty = false),
        changed("sha256-git", |case| {
            case.manifest.git.as_mut().expect("there is one").commit = "ab".repeat(32)
        }),
    ]
}

fn texts() -> Vec<Case> {
    let hostile = "<b>\u{1b}[2J\u{202e}\"\\ 'x' #%?&\n";
    vec![
        changed("non-ascii", |case| {
            case.manifest.name = "Größe 漢字 🚀".to_owned();
            case.manifest.command.words =
                vec!["python".to_owned(), "größe.py".to_owned(), "--ä=ö".to_owned()];
            outputs(case, &["größe.txt", "漢字/データ.csv", "🚀.bin"]);
        }),
        changed("hostile-text", move |case| {
            case.manifest.name = hostile.to_owned();
            case.manifest.command.words = vec![hostile.to_owned()];
            case.manifest.parameters[0].name = hostile.to_owned();
            case.manifest.environment.variables.insert(hostile.to_owned(), hostile.to_owned());
            case.publication.author = Some(hostile.to_owned());
            case.result.as_mut().expect("there is one").metrics[0].last_text = hostile.to_owned();
        }),
        changed("odd-names", |case| {
            outputs(
                case,
                &[
                    "a b.txt",
                    "a#b.txt",
                    "a?b.txt",
                    "a%20b.txt",
                    "../../up.txt",
                    "/abs.txt",
                    "c:\\x",
                    "A.txt",
                    "a.txt",
                ],
            );
            outputs(case, &["-rf", ".hidden", "trailing.", "a&b=c.txt", "x;y,z.csv", "[1].txt", "~"]);
        }),
        changed("empty-texts", |case| {
            case.manifest.name = String::new();
            case.manifest.command.words = Vec::new();
            case.manifest.parameters[0].value = "".into();
            case.manifest.environment.variables.insert("EMPTY".to_owned(), String::new());
        }),
        changed("long-texts", |case| {
            case.manifest.command.words.push("x".repeat(50_000));
            outputs(case, &[&"n".repeat(200), &format!("{}/deep.txt", ["d"; 30].join("/"))]);
        }),
        changed("nobody", |case| {
            case.publication.author = None;
            case.publication.organization = None;
            case.publication.license = None;
            case.publication.repository = None;
        }),
        changed("bad-addresses", |case| {
            case.publication.license = Some("no address".to_owned());
            case.publication.repository = Some("https://bad address/<x>".to_owned());
        }),
    ]
}

fn sizes() -> Vec<Case> {
    vec![
        changed("no-metrics", |case| case.result.as_mut().expect("there is one").metrics.clear()),
        changed("no-files", |case| case.files.clear()),
        changed("one-file", |case| case.files.truncate(1)),
        changed("many-files", |case| {
            let names: Vec<String> = (0..20).map(|number| format!("samples/{number}.png")).collect();
            outputs(case, &names.iter().map(String::as_str).collect::<Vec<_>>());
        }),
        changed("many-parameters", |case| {
            case.manifest.parameters = (0..20)
                .map(|number| ParameterFacts {
                    name: format!("p{number}"),
                    value: serde_json::json!([number, null, { "a": true }]),
                    origin: ParameterOrigin::Set,
                })
                .collect();
        }),
        changed("bare", |case| {
            case.manifest.parameters.clear();
            case.manifest.environment = Default::default();
            case.manifest.determinism = Default::default();
            case.manifest.configs.clear();
        }),
        changed("gpu-and-knobs", |case| {
            let gpu = GpuFacts {
                index: 0,
                name: "GPU 9000".to_owned(),
                driver: "600.1".to_owned(),
                memory: Bytes::gib(80),
                memory_free: Bytes::gib(80),
                granted: true,
            };
            case.manifest.machine.gpus.push(gpu);
            let knob =
                KnobFacts { name: "libfaketime".to_owned(), value: "2026".to_owned(), covers: String::new() };
            case.manifest.determinism.knobs.push(knob);
        }),
    ]
}

fn write(case: &Case, folder: &Path) {
    let sources: Vec<CrateSource> = case
        .files
        .iter()
        .map(|(role, path, content)| CrateSource {
            role: *role,
            path: path.clone(),
            bytes: Bytes(content.len() as u64),
            sha256: Digest::of(content),
        })
        .collect();
    let input = CrateInput {
        manifest: &case.manifest,
        result: case.result.as_ref(),
        sources: &sources,
        publication: &case.publication,
    };
    let made = run_crate(input);
    for file in &made.files {
        let path = folder.join(&file.path);
        fs::create_dir_all(path.parent().expect("it is in the crate")).expect("a folder");
        assert!(!path.exists(), "{} is written twice", file.path);
        fs::write(path, &case.files[file.source].2).expect("a file");
    }
    fs::create_dir_all(folder).expect("a folder");
    fs::write(folder.join(METADATA), made.metadata).expect("the description");
}

#[test]
fn the_validator_has_nothing_to_require_or_recommend() {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/test-tools/python/bin");
    let python: PathBuf = tools.join("python");
    if !tools.join("rocrate-validator").exists() {
        actum_testkit::skip("roc-validator is not there; `cargo xtask test` installs it");
        return;
    }
    let scratch = tempfile::tempdir().expect("a folder");
    let crates = scratch.path().join("crates");
    let cases = cases();
    assert!(cases.len() >= 20);
    cases.iter().for_each(|case| write(case, &crates.join(case.name)));
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/validate_crates.py");
    let mut command = Command::new(python);
    command.arg(script).arg(&crates).arg(scratch.path().join("cache"));
    // It keeps a cache of its own below the home.
    command.env("HOME", scratch.path()).env("XDG_CACHE_HOME", scratch.path()).current_dir(scratch.path());
    let output = command.output().expect("python starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().last().unwrap_or_default();
    let found: BTreeMap<String, Vec<String>> =
        serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {text}\n{errors}"));
    assert_eq!(found.len(), cases.len());
    let with_issues: Vec<_> = found.iter().filter(|(_, issues)| !issues.is_empty()).collect();
    assert!(with_issues.is_empty(), "{with_issues:#?}");
}

/// The same test would pass with a validator that finds nothing in anything.
#[test]
fn the_description_names_every_file_with_its_digest() {
    let scratch = tempfile::tempdir().expect("a folder");
    let case = usual("usual");
    write(&case, scratch.path());
    let text = fs::read_to_string(scratch.path().join(METADATA)).expect("the description");
    for (_, path, content) in &case.files {
        assert!(text.contains(&Digest::of(content).to_string()), "{path}");
    }
    assert!(text.contains("swh:1:rev:4f0c1d9a7be2356f8a1b0c2d3e4f5a6b7c8d9e0f;path=/train.py"), "{text}");
    assert!(text.contains("CompletedActionStatus") && text.contains("\"value\": \"42\""));
}
