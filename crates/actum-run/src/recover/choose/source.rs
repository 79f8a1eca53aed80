//! Changes to the text itself: proposed with a diff, and made in a copy only where somebody allowed that.

use super::super::situation::Copy;
use super::{Case, Change, Choice};
use actum_model::{Proposal, RemedyKind};
use similar::TextDiff;

/// Names that everybody gives to the same import.
const ALIASES: [(&str, &str); 22] = [
    ("np", "import numpy as np"),
    ("pd", "import pandas as pd"),
    ("plt", "import matplotlib.pyplot as plt"),
    ("sns", "import seaborn as sns"),
    ("tf", "import tensorflow as tf"),
    ("torch", "import torch"),
    ("nn", "from torch import nn"),
    ("requests", "import requests"),
    ("os", "import os"),
    ("sys", "import sys"),
    ("re", "import re"),
    ("json", "import json"),
    ("math", "import math"),
    ("time", "import time"),
    ("random", "import random"),
    ("datetime", "from datetime import datetime"),
    ("Path", "from pathlib import Path"),
    ("defaultdict", "from collections import defaultdict"),
    ("Counter", "from collections import Counter"),
    ("List", "from typing import List"),
    ("Dict", "from typing import Dict"),
    ("Optional", "from typing import Optional"),
];

pub(super) fn choose(case: &Case<'_>) -> Option<Choice> {
    let text = std::str::from_utf8(case.code).ok()?;
    case.file?;
    match case.diagnosis.row.as_str() {
        "py-nameerror" if case.language == "python" => import_line(case, text),
        "py-null-bytes" => straight_quotes(case, text),
        _ => None,
    }
}

/// An import that was forgotten: the one that everybody would write.
fn import_line(case: &Case<'_>, text: &str) -> Option<Choice> {
    let (_, line) = ALIASES.iter().find(|(name, _)| *name == case.subject())?;
    let at = first_line(text);
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    let whole = format!("{line}\n");
    lines.insert(at, &whole);
    Some(propose(case, lines.concat(), format!("add the line `{line}`")))
}

/// Behind what has to stand first: the interpreter, the encoding, imports from the future.
fn first_line(text: &str) -> usize {
    let last = text.lines().collect::<Vec<_>>().iter().rposition(|line| line.starts_with("from __future__"));
    let head =
        text.lines().take(2).take_while(|line| line.starts_with("#!") || line.contains("coding")).count();
    last.map_or(head, |last| last + 1)
}

fn straight_quotes(case: &Case<'_>, text: &str) -> Option<Choice> {
    let straight: String = text
        .chars()
        .map(|c| match c {
            '\u{201c}' | '\u{201d}' => '"',
            '\u{2018}' | '\u{2019}' => '\'',
            c => c,
        })
        .collect();
    (straight != text)
        .then(|| propose(case, straight, "replace typographic quotes with straight ones".to_owned()))
}

fn propose(case: &Case<'_>, after: String, what: String) -> Choice {
    let before = String::from_utf8_lossy(case.code);
    let name = case.file.and_then(|file| file.file_name()).map(|name| name.to_string_lossy().into_owned());
    let name = name.unwrap_or_else(|| "program".to_owned());
    let diff = TextDiff::from_lines(before.as_ref(), after.as_str());
    let diff = diff.unified_diff().context_radius(2).header(&name, &name).to_string();
    let copy = Copy { name: name.clone(), bytes: after.into_bytes(), differs: what.clone() };
    let altered = case.altered(|to| to.copy = Some(copy));
    let change = Change::new(RemedyKind::Source, what.clone(), "the source must be changed", altered);
    let path = case.file.map(|file| file.to_string_lossy().into_owned()).unwrap_or(name);
    Choice::Propose(Proposal { path, what, diff, applied: false }, Box::new(change))
}
