use super::*;
use crate::look::Colour;
use crate::samples;
use actum_model::{Digest, Evidence, Level};
use unicode_width::UnicodeWidthStr;

fn brief(width: usize) -> Look {
    Look { width, ..Look::plain(Detail::Brief) }
}

#[test]
fn every_sample_as_it_is_shown() {
    insta::assert_snapshot!("account", samples::shown(|report| account(report, &brief(100))));
}

#[test]
fn every_sample_in_full() {
    let look = Look { width: 120, ..Look::plain(Detail::Verbose) };
    insta::assert_snapshot!("verbose", samples::shown(|report| account(report, &look)));
}

#[test]
fn a_small_success_is_one_line() {
    assert_eq!(
        account(&samples::small(), &Look::plain(Detail::Brief)),
        "✓ actum: exited 0 in 42ms · memory 9.8 MiB · cpu 31ms · tier N (default) · run 9c1e02bd77aa"
    );
}

#[test]
fn what_the_ledger_proves_is_told_and_what_nobody_signed_stands_out() {
    let told = |signer: Option<&str>, level: Level| {
        let evidence = Evidence {
            level,
            meaning: level.words().to_owned(),
            index: 4,
            record: Digest([7; 32]),
            signer: signer.map(str::to_owned),
            unsigned: signer.is_none().then(|| "no checkpoint covers it yet".to_owned()),
        };
        let report = Report { evidence: Some(evidence), ..samples::small() };
        [Detail::Brief, Detail::Verbose].map(|detail| account(&report, &Look::plain(detail)))
    };
    let [brief, verbose] = told(Some("SHA256:abc"), Level::E2);
    assert_eq!(brief, account(&samples::small(), &Look::plain(Detail::Brief)));
    let row = "  evidence    E2 signed by a key that the program could not reach · entry 4 · SHA256:abc\n  record      sha256 0707";
    assert!(verbose.contains(row), "{verbose}");
    let [brief, verbose] = told(None, Level::E1);
    assert!(brief.ends_with("run 9c1e02bd77aa · unsigned"), "{brief}");
    let row = "  evidence    E1 hash-linked · entry 4 · unsigned: no checkpoint covers it yet\n";
    assert!(verbose.contains(row), "{verbose}");
    let failed = Report { evidence: None, ..samples::traceback() };
    assert!(!account(&failed, &Look::plain(Detail::Brief)).contains("unsigned"));
}

#[test]
fn no_line_is_wider_than_the_terminal_nor_obeyed_by_it() {
    for (name, report) in samples::all() {
        for width in [40, 60, 80, 120] {
            for detail in [Detail::Brief, Detail::Verbose] {
                let shown = account(&report, &Look { width, ..Look::plain(detail) });
                for line in shown.lines() {
                    assert!(line.width() <= width, "{name} at {width}: {line}");
                    assert!(!line.chars().any(char::is_control), "{name}: {line:?}");
                }
            }
        }
    }
}

#[test]
fn colour_adds_nothing_but_colour() {
    for (name, report) in samples::all() {
        let plain = account(&report, &brief(100));
        let coloured = account(&report, &Look { colour: Colour::Coloured, ..brief(100) });
        assert!(coloured.contains("\u{1b}["), "{name}");
        let mut bare = coloured;
        for code in ["0", "2", "1;31", "1;32", "1;33"] {
            bare = bare.replace(&format!("\u{1b}[{code}m"), "");
        }
        let lines = |text: &str| text.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>();
        assert_eq!(lines(&bare), lines(&plain), "{name}");
    }
}
