//! Decisions, by tables: a row of the taxonomy and what is known around it, and what is changed.

use super::super::situation::Way;
use super::*;
use actum_model::{Bytes, Class, Priority, Span, Touches};
use actum_prepare::Wish;
use std::path::PathBuf;

const LIMITS: Limits = Limits {
    wall: Span::seconds(10),
    cpu: Span::seconds(10),
    memory: Bytes::gib(1),
    processes: 100,
    descriptors: 100,
    file_size: Bytes::gib(1),
    disk: Bytes::gib(1),
    output: Bytes::gib(1),
};

/// A case with its owner: everything that a decision looks at, to be changed by a test.
struct World {
    diagnosis: Diagnosis,
    ending: Ending,
    usage: Usage,
    language: &'static str,
    code: &'static str,
    file: Option<PathBuf>,
    reading: Option<Reading>,
    situation: Situation,
    ceiling: Limits,
    tried: Vec<RemedyKind>,
    still_printing: bool,
    installed: Vec<(String, String)>,
}

impl World {
    fn new(row: &str, subject: &[&str]) -> Self {
        let wish = Wish { requirements: vec!["pandas".to_owned()], guessed: true, ..Wish::default() };
        Self {
            diagnosis: Diagnosis {
                row: row.to_owned(),
                taxonomy: 1,
                class: Class::Import,
                priority: Priority::IMPORT,
                cause: "Something is missing.".to_owned(),
                subject: subject.iter().map(|one| (*one).to_owned()).collect(),
                touches: Touches::Environment,
                mode: Mode::Auto,
                matched: None,
                frame: None,
                raised_in: None,
            },
            ending: Ending::Exited { code: 1 },
            usage: Usage { wall: Span::seconds(10), cpu: Some(Span::seconds(9)), ..Usage::default() },
            language: "python",
            code: "",
            file: Some("/w/main.py".into()),
            reading: None,
            situation: Situation::new(LIMITS, wish),
            ceiling: Limits { memory: Bytes::gib(4), wall: Span::seconds(30), descriptors: 65_536, ..LIMITS },
            tried: Vec::new(),
            still_printing: true,
            installed: vec![("pandas".to_owned(), "3.1.1".to_owned())],
        }
    }

    fn reading(self, code: &'static str) -> Self {
        Self { reading: Some(actum_syntax::read("python", code.as_bytes())), code, ..self }
    }

    fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    fn choose(&self) -> Choice {
        let era = |version: (u8, u8)| Some(format!("20{}-06-01", 12 + version.1));
        choose(&Case {
            diagnosis: &self.diagnosis,
            ending: &self.ending,
            usage: &self.usage,
            language: self.language,
            code: self.code.as_bytes(),
            file: self.file.as_deref(),
            workspace: Path::new("/w"),
            folder: Path::new("/w"),
            reading: self.reading.as_ref(),
            situation: &self.situation,
            ceiling: &self.ceiling,
            tried: &self.tried,
            still_printing: self.still_printing,
            interpreters: &[(3, 13), (3, 11), (3, 10), (3, 7), (2, 7)],
            interpreter: Some((3, 11)),
            installed: &self.installed,
            era: &era,
        })
    }

    fn change(&self) -> Change {
        match self.choose() {
            Choice::Change(change) => *change,
            other @ (Choice::Stop(_) | Choice::Scout(_) | Choice::Propose(..)) => {
                panic!("{:?}: {other:?}", self.diagnosis.row)
            }
        }
    }

    fn stop(&self) -> String {
        match self.choose() {
            Choice::Stop(why) => why,
            other @ (Choice::Change(_) | Choice::Scout(_) | Choice::Propose(..)) => {
                panic!("{:?}: {other:?}", self.diagnosis.row)
            }
        }
    }
}

#[test]
fn a_missing_package_is_added_where_it_is_known() {
    let change = World::new("py-module-missing", &["cv2"]).change();
    assert_eq!(change.kind, RemedyKind::Packages);
    assert_eq!(change.to.wish.requirements, ["pandas", "opencv-python-headless"]);
    assert_eq!(change.permanent.unwrap(), "add `opencv-python-headless` to your dependencies");
    for (module, word) in [
        ("utils", "own project"),
        ("nosuchthingatall", "no known package provides"),
        ("urllib2", "Python 2"),
        ("pandas", "another release"),
    ] {
        let why = World::new("py-module-missing", &[module]).stop();
        assert!(why.contains(word), "{module}: {why}");
    }
}

#[test]
fn a_name_that_is_gone_is_looked_up_once_and_then_the_time_of_the_code_is_tried() {
    let world = World::new("py-cannot-import-name", &["Panel", "pandas"]);
    let Choice::Scout(wanted) = world.choose() else { panic!("{:?}", world.choose()) };
    assert_eq!((wanted.package.as_str(), wanted.module.as_str()), ("pandas", "pandas"));
    assert_eq!((wanted.name.as_deref(), wanted.below.as_deref()), (Some("Panel"), Some("3.1.1")));
    let world = world.with(|world| world.tried.push(RemedyKind::Versions));
    let change = world.change();
    assert_eq!(change.to.wish.newest.as_deref(), Some("2023-06-01"));
    assert!(change.speculative);
    // The next rung is the interpreter before, with what was there in its time.
    let world = world.with(|world| world.situation = change.to.clone());
    let change = world.change();
    assert_eq!(
        (change.to.wish.newest.as_deref(), change.to.wish.interpreter),
        (Some("2022-06-01"), Some((3, 10)))
    );
    let declared = World::new("py-cannot-import-name", &["Panel", "pandas"])
        .with(|world| world.situation.wish.guessed = false);
    assert!(declared.stop().contains("declared"));
}

#[test]
fn a_value_that_a_library_no_longer_takes_is_one_of_an_earlier_time() {
    let change = World::new("py-said-removed", &["M"]).reading("import pandas as pd\n").change();
    assert_eq!(change.to.wish.newest.as_deref(), Some("2023-06-01"));
}

#[test]
fn a_program_that_fails_by_itself_has_its_versions_revised_only_where_we_chose_them() {
    let world = World::new("py-assertion", &[]).with(|world| {
        world.diagnosis.class = Class::Logic;
        world.diagnosis.mode = Mode::Report;
    });
    assert_eq!(world.change().kind, RemedyKind::Versions);
    let command = world.with(|world| world.language = "command");
    assert!(command.stop().contains("in the program itself"), "a test that failed is a result");
    let tools = command.with(|world| {
        world.language = "python";
        world.situation.wish.requirements = vec!["pytest".to_owned()];
    });
    assert!(tools.stop().contains("in the program itself"), "a test runner is no part of the program");
    let nothing = tools.with(|world| world.installed.clear());
    assert!(nothing.stop().contains("in the program itself"));
}

#[test]
fn limits_are_raised_within_the_ceiling() {
    let change = World::new("any-oom-killed", &[]).change();
    assert_eq!((change.kind, change.to.limits.memory), (RemedyKind::Limit, Bytes::gib(2)));
    assert_eq!(change.permanent.unwrap(), "pass --limit memory=2GiB");
    let full = World::new("any-oom-killed", &[]).with(|world| world.ceiling.memory = Bytes::gib(1));
    assert!(full.stop().contains("is its maximum"));
    let timeout = |printing: bool, cpu: u64| {
        World::new("any-timeout", &[]).with(|world| {
            let amount = actum_model::Amount::Seconds(Span::seconds(10));
            world.ending = Ending::TimedOut { max: amount, used: amount };
            world.still_printing = printing;
            world.usage.cpu = Some(Span::seconds(cpu));
        })
    };
    assert_eq!(timeout(true, 9).change().to.limits.wall, Span::seconds(20));
    assert!(timeout(false, 9).stop().contains("reported no progress"));
    assert!(timeout(true, 0).stop().contains("was waiting"));
    let too_much = World::new("py-memoryerror", &["745 GiB"]);
    assert!(too_much.stop().contains("745"), "{}", too_much.stop());
}

#[test]
fn folders_are_made_and_inputs_are_not() {
    let written = World::new("py-file-missing-input", &["out/a.csv"]).reading("open('out/a.csv', 'w')");
    assert_eq!(written.change().to.folders.iter().collect::<Vec<_>>(), [Path::new("/w/out")]);
    let read = World::new("py-file-missing-input", &["data/a.csv"]).reading("open('data/a.csv')");
    assert!(read.stop().contains("does not exist"));
    let outside = World::new("py-savefig-dir", &["/data/out"]);
    assert!(outside.stop().contains("outside the workspace"));
    let climbing = World::new("py-savefig-dir", &["../out"]);
    assert!(climbing.stop().contains("outside the workspace"));
}

#[test]
fn launchers_and_copies_leave_the_source_alone() {
    for (row, way) in [
        ("nb-magic", Way::Magics),
        ("py-toplevel-await", Way::Await),
        ("py-submodule-missing", Way::Clean),
        ("py-multiproc-main", Way::Fork),
        ("py-repl-prompt", Way::Prompts),
    ] {
        let change = World::new(row, &["x.y"]).change();
        assert_eq!(change.to.ways.iter().copied().collect::<Vec<_>>(), [way], "{row}");
    }
    let crlf = World::new("sh-crlf", &[]).with(|world| {
        world.language = "bash";
        world.code = "echo a\r\necho b\r\n";
        world.file = Some("/w/a.sh".into());
    });
    assert_eq!(crlf.change().to.copy.unwrap().bytes, b"echo a\necho b\n");
    let nbsp = World::new("py-null-bytes", &[]).with(|world| world.code = "x\u{a0}= 1\u{200b}\n");
    assert_eq!(nbsp.change().to.copy.unwrap().bytes, b"x = 1\n");
    let quotes = World::new("py-null-bytes", &[]).with(|world| world.code = "x = \u{201c}a\u{201d}\n");
    let Choice::Propose(proposal, _) = quotes.choose() else { panic!("{:?}", quotes.choose()) };
    assert!(proposal.diff.contains("-x = \u{201c}a\u{201d}\n+x = \"a\"\n"), "{}", proposal.diff);
    assert!(!proposal.applied);
    let indented =
        World::new("py-indent", &[]).with(|world| world.code = "    a = 1\n    if a:\n        b = 2\n");
    assert_eq!(indented.change().to.copy.unwrap().bytes, b"a = 1\nif a:\n    b = 2\n");
}

#[test]
fn interpreters_are_chosen_among_those_that_are_there() {
    let old = World::new("py-stdlib-removed", &["Mapping"]);
    assert!(old.change().to.wish.interpreter.is_some_and(|version| version < (3, 11)));
    assert_eq!(World::new("py2-print", &[]).change().to.wish.interpreter, Some((2, 7)));
}
