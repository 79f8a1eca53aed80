//! Repositories that were made to look clean, or to lead out of themselves.

use crate::record;
use crate::world::{Caller, World};
use serde_json::Value;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What `git` printed, without the line feed at its end.
fn git(world: &World, folder: &Path, words: &[&str]) -> Option<String> {
    let printed = record::git(world, folder, words)?;
    Some(String::from_utf8_lossy(&printed).trim_end().to_owned())
}

fn commit(world: &World, folder: &Path) {
    git(world, folder, &["add", "-A"]);
    git(world, folder, &["commit", "-qm", "next"]);
}

/// A workspace with one commit, and nothing that differs from it.
fn repository() -> Option<(World, PathBuf)> {
    let world = World::new(Caller::Ordinary)?;
    let folder = world.workspace();
    world.make_file(&folder.join("code.py"), "print(1)\n");
    world.make_file(&folder.join("src/part.py"), "print(2)\n");
    symlink("code.py", folder.join("link")).unwrap();
    git(&world, &folder, &["init", "-q"])?;
    commit(&world, &folder);
    Some((world, folder))
}

/// What the record of a run says about the repository; in place, so that git is always asked.
fn recorded(world: &World) -> Value {
    world.run(&["true"]).flag("--in-place").go().expect(0);
    let record = world.actum_with(&["evidence", "last"]).go().expect(0);
    let record: Value = serde_json::from_slice(&record.stdout).unwrap();
    record["git"].clone()
}

fn dirty(world: &World) -> Value {
    recorded(world)["dirty"].clone()
}

/// A gitlink without a repository behind it: git looks at nothing in its folder.
#[test]
fn a_submodule_folder_without_a_repository_is_looked_at() {
    let Some((world, folder)) = repository() else { return };
    let id = "0123456789abcdef0123456789abcdef01234567";
    for name in ["vendor", "deep/er/vendor"] {
        let entry = format!("160000,{id},{name}");
        git(&world, &folder, &["update-index", "--add", "--cacheinfo", &entry]);
    }
    git(&world, &folder, &["commit", "-qm", "links"]);
    for name in ["vendor", "deep/er/vendor"] {
        git(&world, &folder, &["init", "-q", name]);
        std::fs::remove_dir_all(folder.join(name).join(".git")).unwrap();
    }
    assert_eq!(dirty(&world), false, "not checked out");
    for file in ["vendor/evil.py", "deep/er/vendor/\n"] {
        world.make_file(&folder.join(file), "print(9)\n");
        assert_eq!(dirty(&world), true, "{file:?}");
        std::fs::remove_file(folder.join(file)).unwrap();
    }
    assert_eq!(dirty(&world), false);
}

/// Puts the bytes of one object under the name of another.
fn forge(world: &World, folder: &Path, (name, other): (&str, &str)) {
    let path = |id: &str| folder.join(".git/objects").join(&id[..2]).join(&id[2..]);
    let ids = [name, other].map(|name| git(world, folder, &["rev-parse", name]).unwrap());
    let bytes = std::fs::read(path(&ids[1])).unwrap();
    std::fs::remove_file(path(&ids[0])).unwrap();
    std::fs::write(path(&ids[0]), bytes).unwrap();
}

/// `git diff` believes that an object has the name of its file.
#[test]
fn objects_under_another_name_do_not_make_a_repository_clean() {
    for (what, is_told) in
        [("HEAD~1:code.py", true), ("HEAD~1:link", true), ("HEAD~1^{tree}", false), ("HEAD~1", false)]
    {
        let Some((world, folder)) = repository() else { return };
        assert_eq!(dirty(&world), false, "{what}");
        world.make_file(&folder.join("code.py"), "print(9)\n");
        std::fs::remove_file(folder.join("link")).unwrap();
        symlink("src/part.py", folder.join("link")).unwrap();
        if what == "HEAD~1:code.py" {
            git(&world, &folder, &["checkout", "-q", "link"]);
        }
        if what == "HEAD~1:link" {
            git(&world, &folder, &["checkout", "-q", "code.py"]);
        }
        commit(&world, &folder);
        let first = git(&world, &folder, &["rev-parse", "HEAD~1"]).unwrap();
        forge(&world, &folder, (what, &what.replace("~1", "")));
        world.make_file(&folder.join(".git/HEAD"), &format!("{first}\n"));
        let git = recorded(&world);
        assert_eq!(git["commit"], first);
        assert_ne!(git["dirty"], false, "{what}");
        assert!(!is_told || git["dirty"] == true, "{what}");
    }
}

/// Attributes let git change a file before it compares it.
#[test]
fn attributes_do_not_hide_a_change() {
    for (attributes, committed, changed) in [
        ("* ident\n", "# $Id$\n", "# $Id: \nimport os $\n"),
        ("* text eol=lf\n", "a\nb\n", "a\r\nb\r\n"),
        ("* text working-tree-encoding=UTF-16LE\n", "a = 1\n", "a\0 \0=\0 \x001\0\n\0"),
        ("[attr]own ident\n* own\n", "# $Id$\n", "# $Id: evil $\n"),
    ] {
        let Some((world, folder)) = repository() else { return };
        world.make_file(&folder.join("code.py"), committed);
        commit(&world, &folder);
        let lines: String = attributes.lines().map(|line| line.replace("* ", "code.py ") + "\n").collect();
        // Where the repository brings it, and where git keeps its own.
        world.make_file(&folder.join("src/.gitattributes"), "part.py text\n");
        world.make_file(&folder.join(".gitattributes"), &lines);
        git(&world, &folder, &["add", ".gitattributes", "src"]);
        git(&world, &folder, &["commit", "-qm", "attributes"]);
        assert_eq!(dirty(&world), false, "{attributes}");
        world.make_file(&folder.join("code.py"), changed);
        assert_eq!(dirty(&world), true, "{attributes}");
    }
}

/// A `.gitignore` that ignores itself, in a folder whose name a shell takes apart.
#[test]
fn names_with_spaces_and_line_feeds_hide_nothing() {
    for name in [" d", "d\ne", "d ", "\\d", "*", "d\u{1}", "-d"] {
        let Some((world, folder)) = repository() else { return };
        world.make_file(&folder.join(name).join("part.py"), "print(1)\n");
        commit(&world, &folder);
        if !name.contains('\u{1}') {
            assert_eq!(dirty(&world), false, "{name:?}");
        }
        world.make_file(&folder.join(name).join(".gitignore"), "*\n");
        world.make_file(&folder.join(name).join("evil.py"), "print(9)\n");
        assert_eq!(dirty(&world), true, "{name:?}");
    }
}

/// Links and files in `.git` that name a folder outside: what looks like a commit there is nobody's business.
#[test]
fn a_repository_does_not_lead_to_files_elsewhere() {
    let secret = "0123456789abcdef".repeat(4);
    type Lead = fn(&World, &Path, &Path);
    let ways: [(&str, Lead); 5] = [
        ("refs/heads", |world, folder, outside| {
            std::fs::remove_dir_all(folder.join(".git/refs/heads")).unwrap();
            symlink(outside, folder.join(".git/refs/heads")).unwrap();
            world.make_file(&folder.join(".git/HEAD"), "ref: refs/heads/token\n");
        }),
        ("packed-refs", |world, folder, outside| {
            symlink(outside.join("packed"), folder.join(".git/packed-refs")).unwrap();
            world.make_file(&folder.join(".git/HEAD"), "ref: refs/heads/token\n");
        }),
        ("commondir", |world, folder, outside| {
            world.make_file(&folder.join(".git/commondir"), &format!("{}\n", outside.display()));
            world.make_file(&folder.join(".git/HEAD"), "ref: refs/heads/token\n");
        }),
        ("gitdir", |world, folder, outside| {
            std::fs::remove_dir_all(folder.join(".git")).unwrap();
            world.make_file(&folder.join(".git"), &format!("gitdir: {}\n", outside.display()));
        }),
        (".git", |_, folder, outside| {
            std::fs::remove_dir_all(folder.join(".git")).unwrap();
            symlink(outside, folder.join(".git")).unwrap();
        }),
    ];
    for (name, lead) in ways {
        let Some((world, folder)) = repository() else { return };
        let outside = world.path("home/private");
        for file in ["token", "HEAD", "refs/heads/token"] {
            world.make_file(&outside.join(file), &secret);
        }
        world.make_file(&outside.join("packed"), &format!("{secret} refs/heads/token\n"));
        world.make_file(&outside.join("objects/info/packs"), "");
        lead(&world, &folder, &outside);
        assert_ne!(recorded(&world)["commit"], secret.as_str(), "{name}");
    }
}

/// What git makes itself goes on being read.
#[test]
fn further_work_trees_and_submodules_are_still_known() {
    let Some((world, folder)) = repository() else { return };
    let id = git(&world, &folder, &["rev-parse", "HEAD"]).unwrap();
    let second = world.path("home/second");
    git(&world, &folder, &["worktree", "add", "-q", second.to_str().unwrap(), "-b", "side"]);
    let done = world.run(&["true"]).flag("--in-place").folder(&second).go();
    done.expect(0);
    let record = world.actum_with(&["evidence", "last"]).go().expect(0);
    let record: Value = serde_json::from_slice(&record.stdout).unwrap();
    assert_eq!(
        (&record["git"]["commit"], &record["git"]["branch"]),
        (&Value::from(id), &Value::from("side"))
    );
    assert_eq!(record["git"]["dirty"], false);
}

/// A schema in which every part names the next one twice.
fn doubling(more: &str) -> String {
    let part = |at: usize| {
        let next = format!("{{\"$ref\": \"#/$defs/a{}\"}}", at + 1);
        format!("\"a{at}\": {{\"$anchor\": \"a{at}\", \"allOf\": [{next}, {next}], {more}: false}}, ")
    };
    let parts: String = (0..30).map(part).collect();
    let last = "\"a30\": {\"$anchor\": \"a30\", \"type\": \"object\"}";
    format!("{{\"$ref\": \"#/$defs/a0\", {more}: false, \"$defs\": {{{parts}{last}}}}}")
}

#[test]
fn a_schema_that_doubles_itself_is_refused_before_the_run() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let anchors = doubling("\"unevaluatedProperties\"").replace("#/$defs/", "#");
    let schemas = [doubling("\"unevaluatedProperties\""), doubling("\"unevaluatedItems\""), anchors];
    for schema in schemas {
        world.make_file(&world.workspace().join("s.json"), &schema);
        let run = world.run(&["echo", "ran"]).flags(&["--expect", "schema:out.json=s.json"]);
        let done = run.patience(Duration::from_secs(20)).go().expect(125);
        assert!(done.out().is_empty(), "{done}");
    }
}

/// Expectations of the project's file are compared before the run.
#[test]
fn many_expectations_are_compared_quickly() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    for (count, told) in [(300, "299"), (40_000, "300 expectations of `file`")] {
        let names: Vec<String> = (0..count).map(|at| format!("\"{at}\"")).collect();
        let text = format!("[expect]\nabsent = \"{}\"\nfile = [{}]\n", count - 1, names.join(","));
        world.make_file(&world.workspace().join("actum.toml"), &text);
        let done = world.run(&["true"]).without_report().patience(Duration::from_secs(15)).go().expect(125);
        assert!(done.err().contains(told), "{done}");
    }
}

/// Values of `.env` that begin alike, and a program that prints what they begin with at every place.
#[test]
fn values_that_begin_alike_do_not_hold_up_a_program() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let begin = "a".repeat(30);
    let values: String = (0..1500).map(|at| format!("V{at}={begin}{at}\n")).collect();
    world.make_file(&world.workspace().join(".env"), &values);
    let run = world.python("print('a' * 1_000_000)").flags(&["--limit", "wall=10s", "--quiet"]);
    run.patience(Duration::from_secs(40)).go().expect(0);
}

/// `.env` of a repository that leads to a file of the user's.
#[test]
fn a_link_to_secrets_elsewhere_is_not_read() {
    for name in [".env", ".env.local"] {
        let Some(world) = World::new(Caller::Ordinary) else { return };
        world.make_file(&world.path("home/private"), "API_TOKEN=corr3ct-h0rse\n");
        symlink(world.path("home/private"), world.workspace().join(name)).unwrap();
        let done = world.run(&["echo", "corr3ct-h0rse"]).go().expect(0);
        assert_eq!(
            *done.told("/result/stdout"),
            "corr3ct-h0rse\n",
            "{name}: it would tell what is in the file"
        );
        std::fs::remove_file(world.workspace().join(name)).unwrap();
        world.make_file(&world.workspace().join("own"), "API_TOKEN=corr3ct-h0rse\n");
        symlink("own", world.workspace().join(name)).unwrap();
        let done = world.run(&["echo", "corr3ct-h0rse"]).go().expect(0);
        assert_eq!(*done.told("/result/stdout"), "[redacted:13]\n", "{name}: a link inside");
    }
}

/// One line of the list of trusted files is one file.
#[test]
fn a_line_feed_in_a_path_does_not_add_trust() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let text = "[limits]\nwall = \"5s\"\n";
    for name in ["x\n", "x\u{1b}[2K"] {
        let folder = world.workspace().join(name);
        world.make_file(&folder.join("actum.toml"), text);
        world.actum_with(&["trust"]).folder(&folder).go().expect(125);
    }
    world.make_file(&world.workspace().join("actum.toml"), text);
    world.actum_with(&["trust"]).go().expect(0);
}

/// A pipe of the repository has no writer.
#[test]
fn a_pipe_in_the_workspace_is_not_waited_for() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let pipe = world.workspace().join("answer.md");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o666.into(), 0).unwrap();
    symlink("answer.md", world.workspace().join("link.md")).unwrap();
    for name in ["answer.md", "./answer.md", "link.md"] {
        for words in [&["extract", name][..], &["claims", name]] {
            let done = world.actum_with(words).patience(Duration::from_secs(10)).go();
            assert_ne!(done.code(), 0, "{words:?}: {done}");
        }
        let run = world.run(&["cat"]).flags(&["--stdin", name]).patience(Duration::from_secs(10));
        run.go().expect(125);
    }
}

/// A reference can name a commit that is not there: a claim about it is not supported by the reference.
#[test]
fn a_commit_that_is_not_there_is_not_taken_for_one_that_was_read() {
    let Some((world, folder)) = repository() else { return };
    let real = git(&world, &folder, &["rev-parse", "HEAD"]).unwrap();
    let blob = git(&world, &folder, &["rev-parse", "HEAD:code.py"]).unwrap();
    let invented = "1234567890abcdef1234567890abcdef12345678";
    let said = world.path("home").join("said.md");
    for (id, is_read) in [(real.as_str(), true), (invented, false), (&blob, false)] {
        world.make_file(&folder.join(".git/HEAD"), &format!("{id}\n"));
        world.run(&["true"]).flag("--in-place").go().expect(0);
        world.make_file(&said, &format!("I committed it as `{}`.", &id[..12]));
        let done = world.actum_with(&["claims", said.to_str().unwrap(), "--run", "last", "--json"]).go();
        let told: Value =
            serde_json::from_slice(&done.stdout).unwrap_or_else(|error| panic!("{error}: {done}"));
        let expected = if is_read { "verified" } else { "unsupported" };
        assert_eq!(told["findings"][0]["status"], expected, "{id}: {told:#}");
    }
}

/// Patterns are read one by one before the run.
#[test]
fn a_table_with_very_many_patterns_is_refused() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    world.make_file(&world.workspace().join("x.py"), "print(1)\n");
    for (pattern, count) in [(".{0,2000}", 80_000), ("a", 301)] {
        let list = vec![format!("'{pattern}'"); count].join(",");
        world.make_file(&world.workspace().join("x.expect.toml"), &format!("stdout-matches = [{list}]\n"));
        let done = world.source("x.py", &[]).patience(Duration::from_secs(10)).go();
        assert_eq!(done.code(), 125, "{done}");
        assert!(done.err().contains("300 patterns"), "{done}");
    }
}

/// A folder that cannot be listed holds code that is in no commit.
#[test]
fn a_closed_folder_is_not_clean() {
    let Some((world, work)) = repository() else { return };
    let code = work.join("closed/extra.py");
    world.make_file(&code, "print('ran')\n");
    std::fs::set_permissions(code.parent().unwrap(), PermissionsExt::from_mode(0o000)).unwrap();
    assert_eq!(dirty(&world), true);
    std::fs::set_permissions(code.parent().unwrap(), PermissionsExt::from_mode(0o755)).unwrap();
}

/// One schema that is named again and again is read each time.
#[test]
fn a_large_schema_is_not_read_a_hundred_times() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let work = world.workspace();
    let properties: Vec<String> =
        (0..20_000).map(|n| format!("\"p{n}\": {{\"type\": \"string\"}}")).collect();
    world.make_file(&work.join("big.json"), &format!("{{\"properties\": {{{}}}}}", properties.join(", ")));
    world.make_file(&work.join("x.py"), "print(1)\n");
    let rows: Vec<String> = (0..150).map(|n| format!("\"out{n}.json\" = \"big.json\"")).collect();
    world.make_file(&work.join("x.expect.toml"), &format!("[schema]\n{}\n", rows.join("\n")));
    let done = world.source("x.py", &[]).patience(Duration::from_secs(20)).go();
    assert_eq!(done.code(), 125, "{done}");
    assert!(done.err().contains("larger than 1 MiB"), "{done}");
}

/// Types of a table can be read from a list as well: every right was passed by.
#[test]
fn a_list_in_the_place_of_a_table_sets_no_key() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    for text in [
        "redact = [[], [\"jwt\", \"env\", \"dotenv\"]]",
        "packages = [\"auto\", [\"x\"], [], \"http://127.0.0.1:1/simple\", \"w\", \"0s\", \"stop\", false]",
        "language.evil = [[\"yamlx\"], [\"yaml\"], [], [\"sh\"], [], [], [], \"pkg\"]",
        "tasks = [\"a\", [], [\"w\"], \"part\", {LD_PRELOAD = \"/x.so\"}]",
        "hook = [false]",
        "[[limits]]\nwall = \"1s\"",
    ] {
        world.make_file(&world.workspace().join("actum.toml"), text);
        let done = world.run(&["true"]).go();
        assert_eq!(done.code(), 125, "{text}: {done}");
        assert!(done.err().contains("is not a table"), "{text}: {done}");
    }
}

/// Sources of a project that are links: to a device, and to much else.
#[test]
fn links_among_sources_are_not_read_elsewhere() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    if world.run(&["sh", "-c", "command -v javac"]).go().code() != 0 {
        actum_testkit::skip("there is no javac");
        return;
    }
    let work = world.workspace();
    let big = world.path("home/big.java");
    world.make_file(&big, "");
    std::fs::File::options().write(true).open(&big).unwrap().set_len(60 << 20).unwrap();
    world.make_file(
        &work.join("Main.java"),
        "class Main { public static void main(String[] a) { System.out.println(1); } }\n",
    );
    std::fs::create_dir(work.join("lib")).unwrap();
    for number in 0..200 {
        symlink(&big, work.join(format!("lib/A{number}.java"))).unwrap();
    }
    symlink("/dev/ptmx", work.join("lib/B.java")).unwrap();
    let done = world.source("Main.java", &[]).patience(Duration::from_secs(40)).go().expect(0);
    assert_eq!(done.out(), "1\n", "{done}");
}
