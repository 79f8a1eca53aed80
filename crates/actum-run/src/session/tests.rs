//! The drivers with the real interpreters, without a sandbox around them.

use super::control::{Control, Heard};
use super::driver::{Echo, Language, Said, ask};
use rustix::event::{PollFd, PollFlags, poll};
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

struct Driven {
    child: Child,
    control: Control,
    calls: u64,
}

impl Driven {
    fn start(language: Language) -> Self {
        let interpreter = match language {
            Language::Python => "python3",
            Language::Bash => "bash",
        };
        let words = language.command(&[interpreter.into()]);
        let (control, inside) = Control::pair().unwrap();
        // As in a sandbox: a program begins with its three streams and nothing else.
        actum_sandbox::sys::close_on_execute_from(3).unwrap();
        let child = Command::new(&words[0])
            .args(&words[1..])
            .stdin(inside)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .unwrap();
        let mut driven = Self { child, control, calls: 0 };
        assert_eq!(driven.hear(), Said::Ready);
        driven
    }

    fn hear(&mut self) -> Said {
        loop {
            let more = if self.control.has_more() { PollFlags::OUT } else { PollFlags::empty() };
            let mut list = [PollFd::from_borrowed_fd(self.control.socket(), PollFlags::IN | more)];
            poll(&mut list, None).unwrap();
            self.control.push();
            match self.control.hear() {
                Heard::Said(said) if said.is_empty() => {}
                Heard::Said(said) => return said[0],
                Heard::Gone => panic!("the driver hung up"),
            }
        }
    }

    fn ask(&mut self, code: &str, arguments: &[&str]) {
        self.calls += 1;
        let mut parts: Vec<&[u8]> = vec![code.as_bytes(), b"<test>"];
        parts.extend(arguments.iter().map(|argument| argument.as_bytes()));
        self.control.ask(&ask(self.calls, Echo::LastValue, &parts));
    }

    fn status(&mut self) -> u8 {
        match self.hear() {
            Said::Done { call, status } if call == self.calls => status,
            other @ (Said::Ready | Said::Done { .. }) => {
                panic!("{other:?} while call {} goes on", self.calls)
            }
        }
    }

    fn call(&mut self, code: &str) -> u8 {
        self.ask(code, &[]);
        self.status()
    }

    /// Everything that was printed, once it has ended by itself.
    fn end(mut self) -> String {
        self.control.hang_up();
        let mut printed = String::new();
        self.child.stdout.take().unwrap().read_to_string(&mut printed).unwrap();
        assert!(self.child.wait().unwrap().success());
        printed
    }
}

/// Calls in one session, each with the status that it ends with, and everything that they print.
fn table(language: Language, calls: &[(&str, u8)], expected: &str) {
    let mut driven = Driven::start(language);
    for (code, status) in calls {
        assert_eq!(driven.call(code), *status, "{code}");
    }
    assert_eq!(driven.end(), expected);
}

#[test]
fn what_python_learns_lasts() {
    let calls = [
        ("x = 41\ndef f(n):\n    return 1 / n", 0),
        ("x + 1", 0),
        ("'quiet';", 0),
        ("f(0)", 1),
        ("raise SystemExit(7)", 7),
        ("raise SystemExit('bad')", 1),
        ("raise SystemExit(None)", 0),
        ("1 +", 1),
        ("input()", 1),
        ("import os\nif os.fork() == 0:\n    print('copy')\nelse:\n    _ = os.wait()", 0),
        ("import pickle, sys\nclass A: pass\npickle.loads(pickle.dumps(A())).__class__ is A", 0),
        ("sys.stdout.write('no newline')\nNone", 0),
        ("print(x, __name__)", 0),
        ("# coding: latin-1\nNone", 0),
        ("", 0),
        ("sys.stdout = None", 0),
        ("sys.stdout = sys.__stdout__; x", 0),
    ];
    table(Language::Python, &calls, "42\n'quiet'\ncopy\nTrue\nno newline41 __main__\n41\n");
}

#[test]
fn what_bash_learns_lasts() {
    let calls = [
        ("x=4; declare -A map=([key]=value); f() { echo \"f$x\"; }; cd /usr", 0),
        ("f; echo ${map[key]} $PWD; false", 1),
        ("exit 7", 7),
        ("g() { while true; do exit 6; done; echo never; }; g; echo never", 6),
        ("if exit 4; then echo never; else echo never; fi", 4),
        ("y=$(exit 5); echo $?; (exit 3); echo $?", 0),
        ("declare z=5; return 9; echo never", 9),
        ("h() { set -e; false; echo never; }; h; echo never", 1),
        ("echo $z $-; set +e", 0),
        ("k() { local q=1; set -u; echo $unset; echo never; }; k", 127),
        ("set +u; f; echo ${map[key]}", 0),
        ("trap 'echo bye' EXIT; echo first", 0),
        ("trap 'echo bye again' EXIT; exit 2", 2),
        ("( trap 'echo sub' EXIT; exit 8 )", 8),
        ("[[ ${BASH_SOURCE[0]} == \"$0\" ]] && read -r line || echo nothing to read", 0),
        ("if then", 2),
        ("", 0),
        ("exec 3>&1; echo kept", 0),
    ];
    let expected =
        "f4\nvalue /usr\n5\n3\n5 ehBEc\nf4\nvalue\nfirst\nbye\nbye again\nsub\nnothing to read\nkept\n";
    table(Language::Bash, &calls, expected);
}

#[test]
fn an_interrupt_ends_the_call_and_nothing_else() {
    let cases: [(Language, &[&str]); 2] = [
        (
            Language::Python,
            &["import time; x = 1; print('at'); time.sleep(60)", "print('at')\nwhile True: pass"],
        ),
        (
            Language::Bash,
            &[
                "x=1; echo at; sleep 60; echo never",
                "echo at; while :; do :; done",
                "f() { echo at; while sleep 60; do :; done; }; f; echo never",
                "set -e; echo at; sleep 60 | cat; echo never",
                "echo at; sleep 60 & wait; echo never",
            ],
        ),
    ];
    for (language, endless) in cases {
        let mut driven = Driven::start(language);
        let mut printed = driven.child.stdout.take().unwrap();
        for code in endless {
            driven.ask(code, &[]);
            let mut at = [0; 3];
            printed.read_exact(&mut at).unwrap();
            assert_eq!(&at, b"at\n");
            driven.control.interrupt();
            assert_eq!(driven.status(), 130, "{code}");
        }
        let (code, shown) = match language {
            Language::Python => ("x", "1\n"),
            Language::Bash => ("echo $x", "1\n"),
        };
        assert_eq!(driven.call(code), 0);
        driven.child.stdout = Some(printed);
        assert_eq!(driven.end(), shown);
    }
}

#[test]
fn arguments_and_long_code_arrive_as_they_are() {
    let long = "x".repeat(3_000_000);
    for (language, code, more) in [
        (Language::Python, "import sys; print(len(sys.argv), sys.argv[1:])", "print(len('LONG'))"),
        (Language::Bash, "echo \"$#\" \"$1\" \"$2\"", "x=LONG; echo ${#x}"),
    ] {
        let mut driven = Driven::start(language);
        driven.ask(code, &["ä b", "\n"]);
        assert_eq!(driven.status(), 0);
        assert_eq!(driven.call(&more.replace("LONG", &long)), 0);
        let expected = match language {
            Language::Python => "3 ['ä b', '\\n']\n3000000\n",
            Language::Bash => "2 ä b \n\n3000000\n",
        };
        assert_eq!(driven.end(), expected);
    }
}
