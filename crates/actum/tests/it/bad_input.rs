//! Words that make no sense and a world that is not as said: one line that names it, a hint, the documented code.

use crate::leftovers::Leftovers;
use crate::run::{Done, Run};
use crate::world::{Caller, Walls, World};
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

struct Case {
    flags: &'static [&'static str],
    command: &'static [&'static str],
    code: i32,
    /// What the line must name.
    names: &'static str,
}

const fn flags(flags: &'static [&'static str], names: &'static str) -> Case {
    Case { flags, command: &["true"], code: 125, names }
}

const fn command(command: &'static [&'static str], code: i32, names: &'static str) -> Case {
    Case { flags: &[], command, code, names }
}

const CASES: &[Case] = &[
    flags(&["--policy", "lax"], "`lax`"),
    flags(&["--policy", ""], "``"),
    flags(&["--policy", "locked", "--net", "a.example"], "locked"),
    flags(&["--policy", "locked", "--in-place"], "locked"),
    flags(&["--policy", "networked"], "networked"),
    flags(&["--policy", "open", "--net", "a.example"], "open"),
    flags(&["--net", "full,a.example"], "full,a.example"),
    flags(&["--net", "exa mple"], "exa mple"),
    flags(&["--net", "a.example:99999"], "99999"),
    flags(&["--net", "a*.example"], "*"),
    flags(&["--limit", "memory=0"], "memory"),
    flags(&["--limit", "wall=0s"], "wall"),
    flags(&["--limit", "memory=5parsecs"], "parsecs"),
    flags(&["--limit", "wall=5MiB"], "wall"),
    flags(&["--limit", "memory=1KiB"], "memory"),
    flags(&["--limit", "processes=1"], "processes"),
    flags(&["--limit", "processes=2.5"], "2.5"),
    flags(&["--limit", "bananas=3"], "bananas"),
    flags(&["--limit", "memory"], "`memory`"),
    flags(&["--limit", "memory=99999999999TiB"], "memory"),
    flags(&["--workspace", "missing"], "missing"),
    flags(&["--workspace", "file"], "file"),
    flags(&["--workdir", "/"], "workspace"),
    flags(&["--workdir", ".."], "workspace"),
    flags(&["--workdir", "missing"], "missing"),
    flags(&["--workdir", "file"], "file"),
    flags(&["--report", "missing/report.json"], "missing/report.json"),
    flags(&["--report", "."], "report"),
    flags(&["--read", "/missing/grant"], "/missing/grant"),
    flags(&["--write", "/missing/grant"], "/missing/grant"),
    flags(&["--read", "/usr/share", "--write", "/usr/share"], "/usr/share"),
    flags(&["--stdin", "missing"], "missing"),
    command(&["actum-no-such-command"], 127, "actum-no-such-command"),
    command(&["./missing"], 127, "./missing"),
    command(&["./file"], 126, "./file"),
    command(&["./"], 126, "./"),
    command(&["/usr"], 126, "/usr"),
    command(&["./not-a-format"], 126, "./not-a-format"),
    command(&["./no-interpreter"], 127, "./no-interpreter"),
    command(&[""], 127, "command"),
];

/// What is wrong with how it was said, if something is.
fn complaint(done: &Done, code: i32, names: &str) -> Option<String> {
    let said = done.err();
    let lines: Vec<&str> = said.lines().collect();
    if done.code() != code {
        return Some(format!("code {} and not {code}", done.code()));
    }
    if said.contains("panicked") || done.took > Duration::from_secs(10) {
        return Some("it panicked or took long".to_owned());
    }
    let named = lines.first().is_some_and(|line| line.starts_with("actum: ") && line.contains(names));
    if !named {
        return Some(format!("no first line `actum: …` that names {names}"));
    }
    let rest_is_hint = lines[1..].iter().all(|line| line.starts_with("hint: ")) && lines.len() <= 2;
    (!rest_is_hint).then(|| "more than one line and a hint".to_owned())
}

fn furnish(world: &World) {
    let workspace = world.workspace();
    world.make_file(&workspace.join("file"), "text");
    world.make_program(&workspace.join("not-a-format"), "\u{1}\u{2}no program at all");
    world.make_program(&workspace.join("no-interpreter"), "#!/missing/interpreter\n");
}

fn try_all(walls: Walls, cases: &[Case]) {
    let mut failed = Vec::new();
    for world in World::each() {
        furnish(&world);
        let before = Leftovers::before(&world);
        let mut markers = Vec::new();
        for case in cases {
            let own_report = case.flags.contains(&"--report");
            let run = world.run(case.command).walls(walls).flags(case.flags);
            let done = if own_report { run.without_report() } else { run }.go();
            let why = complaint(&done, case.code, case.names);
            failed.extend(why.map(|why| format!("{:?} {:?}: {why}{done}\n", case.flags, case.command)));
            markers.push(done.marker);
        }
        markers.iter().for_each(|marker| before.check(marker));
    }
    assert!(failed.is_empty(), "{} cases:\n{}", failed.len(), failed.join("\n"));
}

#[test]
fn each_is_told_in_one_line() {
    try_all(Walls::N, CASES);
}

#[test]
fn each_is_told_in_one_line_without_namespaces() {
    try_all(Walls::Docker, CASES);
}

/// Reported the same whether or not the summary is wanted: a failure without a word helps nobody.
#[test]
fn quiet_silences_the_summary_and_not_the_failure() {
    for world in World::each() {
        furnish(&world);
        for (command, code) in [("actum-no-such-command", 127), ("./file", 126)] {
            let done = world.run(&[command]).flag("--quiet").go();
            assert_eq!(complaint(&done, code, command), None, "{done}");
        }
    }
}

#[test]
fn a_workspace_that_the_caller_cannot_write() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let run = world.python("open('x', 'w').write('x')").flags(&["--workspace", "/usr/share"]);
    let done = run.go();
    assert_eq!(complaint(&done, 125, "/usr/share"), None, "{done}");
    let shut = world.path("work/shut");
    world.make_folder(&shut);
    std::fs::set_permissions(&shut, PermissionsExt::from_mode(0o000)).unwrap();
    let done = world.run(&["true"]).flag("--workspace").flag(&shut).go();
    assert_eq!(complaint(&done, 125, "work/shut"), None, "{done}");
    // Or an ordinary user could not take it away.
    std::fs::set_permissions(&shut, PermissionsExt::from_mode(0o755)).unwrap();
}

#[test]
fn a_configuration_that_cannot_be_understood() {
    for world in World::each() {
        let file = world.path("home/config/actum/config.toml");
        for (text, names) in [
            ("[limits", "config.toml"),
            ("[limit]\nx = 1", "config.toml"),
            ("[limits]\nmemory = \"5 apples\"", "apples"),
            ("[limits]\nwall = 0", "wall"),
            ("[policy]\nprofile = \"lax\"", "lax"),
            ("\u{0}", "config.toml"),
        ] {
            world.make_file(&file, text);
            let done = world.run(&["true"]).variable("XDG_CONFIG_HOME", world.path("home/config")).go();
            assert_eq!(complaint(&done, 125, names), None, "{text} {done}");
            assert!(done.err().contains("config.toml"), "{done}");
        }
        std::fs::remove_file(&file).unwrap();
        std::fs::create_dir(&file).unwrap();
        let done = world.run(&["true"]).variable("XDG_CONFIG_HOME", world.path("home/config")).go();
        assert_eq!(complaint(&done, 125, "config.toml"), None, "{done}");
    }
}

/// Streams that are closed, full or go away while the program writes.
#[test]
fn streams_that_do_not_work() {
    let much = "import sys\nfor n in range(200000): print('line', n)";
    for world in World::each() {
        for walls in [Walls::N, Walls::Docker] {
            let before = Leftovers::before(&world);
            let run = |shell: &str| -> Run<'_> { world.python(much).walls(walls).shell(shell) };
            for closed in
                ["exec \"$@\" <&-", "exec \"$@\" >&-", "exec \"$@\" 2>&-", "exec \"$@\" <&- >&- 2>&-"]
            {
                let done = run(closed).go().expect(0);
                assert!(!done.err().contains("panicked"), "{done}");
                before.check(&done.marker);
            }
            let done = run("exec \"$@\" >/dev/full").go();
            assert_eq!(complaint(&done, 125, "output"), None, "{done}");
            before.check(&done.marker);
            let done = run("{ \"$@\"; echo $? >&2; } | head -c 1").go();
            assert_eq!(done.out(), "l", "{done}");
            // Nobody reads on: the program hears of it as it would have without us, and ends by itself.
            let code = done.err().lines().last().unwrap_or_default().to_owned();
            assert!(
                !["0", "125"].contains(&code.as_str()) && !done.err().contains("actum: cannot"),
                "{done}"
            );
            before.check(&done.marker);
            let done = run("exec \"$@\" 2>/dev/full").go().expect(0);
            before.check(&done.marker);
        }
    }
}
