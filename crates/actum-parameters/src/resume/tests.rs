//! Options that resume, and the newest checkpoint.

use super::*;
use crate::help::parse_help;
use proptest::prelude::*;

fn of(lines: &str, help: &str) -> String {
    let text = format!("import argparse\np = argparse.ArgumentParser()\n{lines}\n");
    let declared = actum_syntax::read("python", text.as_bytes()).parameters;
    let declared: Vec<&DeclaredParameter> = declared.iter().collect();
    match resume_option(&declared, &parse_help(help)) {
        Some(option) => format!("{}{}", option.words("C").join(" "), if option.is_sure { "" } else { "?" }),
        None => "none".to_owned(),
    }
}

#[test]
fn programs_resume_as_they_say() {
    for (lines, help, expected) in [
        ("p.add_argument('--lr')", "", "none"),
        ("p.add_argument('--resume')", "", "--resume C"),
        ("p.add_argument('--resume', action='store_true')", "", "--resume"),
        ("p.add_argument('--resume', choices=['auto', 'never'])", "", "--resume auto"),
        ("p.add_argument('--resume', help=\"path or 'latest'\")", "", "--resume latest"),
        (
            "p.add_argument('--resume_from_checkpoint')\np.add_argument('--resume')",
            "",
            "--resume_from_checkpoint C",
        ),
        ("p.add_argument('--ckpt_path')", "", "--ckpt_path C?"),
        ("p.add_argument('-r', '--resume-from')", "", "--resume-from C"),
        ("p.add_argument('--load')", "", "--load C?"),
        ("", "  --resume PATH  go on\n", "--resume C"),
        ("", "  --resume  go on\n", "--resume"),
        ("", "  --checkpoint TEXT  x\n", "--checkpoint C?"),
        ("", "  --init_from STR  x\n", "--init_from resume"),
        ("p.add_argument('resume')", "", "none"),
    ] {
        assert_eq!(of(lines, help), expected, "{lines} {help}");
    }
    let declared =
        actum_syntax::read("python", b"init_from = 'scratch'\nexec(open('configurator.py').read())\n")
            .parameters;
    let declared: Vec<&DeclaredParameter> = declared.iter().collect();
    assert_eq!(resume_option(&declared, &[]).unwrap().words("C"), ["--init_from=resume"]);
}

/// Path, time and size of each file; the newest checkpoint, with `?` where it looks cut.
type Case = (&'static [(&'static str, i64, u64)], &'static str);

#[test]
fn the_newest_checkpoint_is_found() {
    let cases: &[Case] = &[
        (&[], "none"),
        (&[("log.txt", 1, 1), ("model.py", 1, 1)], "none"),
        (
            &[
                ("out/checkpoint-500/model.safetensors", 2, 9),
                ("out/checkpoint-1000/model.safetensors", 1, 9),
            ],
            "out/checkpoint-1000",
        ),
        (&[("checkpoint-500/a.bin", 1, 9), ("checkpoint-1000/a.bin", 2, 0)], "checkpoint-500"),
        (&[("checkpoint-1000/a.bin", 2, 0)], "checkpoint-1000?"),
        (
            &[
                ("checkpoint-5/a.bin", 1, 9),
                ("checkpoint-5/trainer_state.json", 1, 9),
                ("checkpoint-9/a.bin", 2, 9),
            ],
            "checkpoint-5",
        ),
        (&[("checkpoint-5/a.bin", 1, 9), ("tmp-checkpoint-9/a.bin", 2, 9)], "checkpoint-5"),
        (&[("checkpoint-5/a.bin", 1, 9), ("checkpoint-9/a.bin.tmp", 2, 9)], "checkpoint-5"),
        (&[("ckpt_12.pt", 3, 9), ("ckpt_2.pt", 4, 9), ("ckpt_100.pt", 1, 9)], "ckpt_100.pt"),
        (&[("ckpt_12.pt", 3, 9), ("ckpt_13.pt.part", 4, 9), ("ckpt_14.pt", 5, 0)], "ckpt_12.pt"),
        (&[("epoch=3-step=100.ckpt", 1, 9), ("epoch=4-step=90.ckpt", 1, 9)], "epoch=3-step=100.ckpt"),
        (&[("epoch=3-step=100.ckpt", 1, 9), ("last.ckpt", 2, 9)], "last.ckpt"),
        (&[("epoch=3-step=100.ckpt", 2, 9), ("last.ckpt", 1, 9)], "epoch=3-step=100.ckpt"),
        (&[("epoch=3-step=100.ckpt", 2, 9), ("last.ckpt", 2, 9)], "last.ckpt"),
        (&[("best.ckpt", 9, 9), ("last.ckpt", 1, 9)], "last.ckpt"),
        (&[("model_best.pth", 9, 9)], "model_best.pth"),
        (
            &[
                ("model.ckpt-5000.index", 1, 9),
                ("model.ckpt-5000.data-00000-of-00001", 1, 9),
                ("model.ckpt-900.index", 1, 9),
            ],
            "model.ckpt-5000",
        ),
        (
            &[("w.epoch3-val_loss0.25.pt", 1, 9), ("w.epoch4-val_loss0.75.pt", 1, 9)],
            "w.epoch4-val_loss0.75.pt",
        ),
        (
            &[
                ("run/global_step200/mp_rank_00_model_states.pt", 1, 9),
                ("run/global_step90/mp_rank_00_model_states.pt", 2, 9),
            ],
            "run/global_step200",
        ),
        (&[("a/checkpoint-9/x.bin", 1, 9), ("b/checkpoint-3/x.bin", 2, 9)], "b/checkpoint-3"),
        (&[("optimizer_step.pt", 1, 9)], "none"),
        (&[("ckpt.pt", 1, 9)], "ckpt.pt"),
    ];
    for (files, expected) in cases {
        let facts: Vec<FileFacts> = files
            .iter()
            .map(|(path, time, size)| FileFacts {
                path: (*path).to_owned(),
                modified: (*time, 0),
                size: *size,
            })
            .collect();
        let found = newest_checkpoint(&facts);
        let text = found.map_or_else(
            || "none".to_owned(),
            |one| format!("{}{}", one.path, if one.is_whole { "" } else { "?" }),
        );
        assert_eq!(text, *expected, "{files:?}");
    }
}

proptest! {
    #[test]
    fn the_order_of_files_does_not_matter(names in proptest::collection::vec(("(out/)?(checkpoint-[0-9]{1,3}/a.bin|ckpt_[0-9]{1,2}.pt|last.ckpt|epoch=[0-9]-step=[0-9]{1,3}.ckpt(.tmp)?|é[0-9.]{0,5}.pt)", 0..5_i64, 0..3_u64), 0..12)) {
        let mut files: Vec<FileFacts> = names.into_iter().map(|(path, time, size)| FileFacts { path, modified: (time, 0), size }).collect();
        files.sort_by(|one, other| one.path.cmp(&other.path));
        files.dedup_by(|one, other| one.path == other.path);
        let found = newest_checkpoint(&files);
        files.reverse();
        prop_assert_eq!(newest_checkpoint(&files), found);
    }
}
