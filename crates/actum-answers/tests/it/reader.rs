//! A reader for tests: the labels that the house knows, and the syntax room called directly.

use actum_answers::{Program, Reader};
use actum_model::Reading;

#[derive(Debug, Default)]
pub struct Direct {
    /// How many bytes were asked about.
    pub bytes: usize,
    /// How often somebody asked: each time a process is started.
    pub calls: usize,
}

const LABELS: &[(&str, &str)] = &[
    ("python", "python python3 py py3 python2 ipython pycon pyw"),
    ("bash", "bash shell shellscript shell-script"),
    ("sh", "sh posix dash ash"),
    ("javascript", "javascript js node nodejs mjs cjs"),
    ("typescript", "typescript ts mts cts"),
    ("ruby", "ruby rb"),
    ("perl", "perl pl"),
    ("php", "php"),
    ("lua", "lua"),
    ("r", "r rscript"),
    ("julia", "julia jl"),
    ("go", "go golang"),
    ("rust", "rust rs"),
    ("c", "c"),
    ("cpp", "cpp c++ cc cxx"),
    ("java", "java"),
    ("sql", "sql sqlite postgresql"),
];

impl Reader for Direct {
    fn language(&self, label: &str) -> Option<String> {
        let is_one = |names: &str| names.split(' ').any(|name| name.eq_ignore_ascii_case(label));
        LABELS.iter().find(|(_, names)| is_one(names)).map(|(language, _)| (*language).to_owned())
    }

    fn read(&mut self, programs: &[Program<'_>]) -> Vec<Reading> {
        self.calls += 1;
        self.bytes += programs.iter().map(|program| program.code.len()).sum::<usize>();
        programs.iter().map(|program| actum_syntax::read(program.language, program.code.as_bytes())).collect()
    }
}
