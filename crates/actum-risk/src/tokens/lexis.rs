//! How each language writes comments and strings.

use super::Kind;

/// A comment with two ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block {
    pub(super) open: &'static str,
    pub(super) close: &'static str,
    pub(super) nests: bool,
}

/// A string between two of the same quotes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Quote {
    pub(super) open: &'static str,
    pub(super) kind: Kind,
    /// A backslash is a backslash.
    pub(super) raw: bool,
    /// Goes on over lines.
    pub(super) lines: bool,
    /// A character rather than a string: without its end nearby it is something else.
    pub(super) short: bool,
}

#[derive(Debug)]
pub(crate) struct Lexis {
    pub(super) lines: &'static [&'static str],
    pub(super) blocks: &'static [Block],
    /// A comment that begins in the first column.
    pub(super) margin: Option<(&'static str, &'static str)>,
    /// Longer ones first.
    pub(super) quotes: &'static [Quote],
    pub(super) prefixes: &'static [&'static str],
    pub(super) quoted_words: &'static [(&'static str, Kind)],
    /// Those words count only after `%`.
    pub(super) percent: bool,
    pub(super) heredoc: Option<&'static str>,
    pub(super) patterns: bool,
    pub(super) long_brackets: bool,
    pub(super) hashes: bool,
    pub(super) dollar_names: bool,
    /// Code begins after this, where it is there.
    pub(super) opening: Option<&'static str>,
}

impl Quote {
    pub(super) const RAW: Quote = Quote { open: "", kind: Kind::Text, raw: true, lines: true, short: false };
    const DOUBLE: Quote = Quote { open: "\"", kind: Kind::Text, raw: false, lines: false, short: false };
    const SINGLE: Quote = Quote { open: "'", ..Quote::DOUBLE };
    const DOUBLE_LINES: Quote = Quote { lines: true, ..Quote::DOUBLE };
    const SINGLE_LINES: Quote = Quote { lines: true, ..Quote::SINGLE };
    const CHARACTER: Quote = Quote { short: true, ..Quote::SINGLE };
    const TRIPLE: Quote = Quote { open: "\"\"\"", ..Quote::DOUBLE_LINES };
    const TRIPLE_SINGLE: Quote = Quote { open: "'''", ..Quote::DOUBLE_LINES };
    const TEMPLATE: Quote = Quote { open: "`", ..Quote::DOUBLE_LINES };
    const COMMAND: Quote = Quote { kind: Kind::Command, ..Quote::TEMPLATE };
}

const C_BLOCK: Block = Block { open: "/*", close: "*/", nests: false };

const NONE: Lexis = Lexis {
    lines: &["//"],
    blocks: &[C_BLOCK],
    margin: None,
    quotes: &[Quote::DOUBLE, Quote::CHARACTER],
    prefixes: &[],
    quoted_words: &[],
    percent: false,
    heredoc: None,
    patterns: false,
    long_brackets: false,
    hashes: false,
    dollar_names: false,
    opening: None,
};

pub(crate) static PYTHON: Lexis = Lexis {
    lines: &["#"],
    blocks: &[],
    quotes: &[Quote::TRIPLE, Quote::TRIPLE_SINGLE, Quote::DOUBLE, Quote::SINGLE],
    prefixes: &["r", "b", "f", "u", "t", "rb", "br", "rf", "fr", "rt", "tr"],
    ..NONE
};
pub(crate) static JAVASCRIPT: Lexis = Lexis {
    quotes: &[Quote::DOUBLE, Quote::SINGLE, Quote::TEMPLATE],
    patterns: true,
    dollar_names: true,
    ..NONE
};
pub(crate) static RUBY: Lexis = Lexis {
    lines: &["#"],
    blocks: &[],
    margin: Some(("=", "\n=end")),
    quotes: &[Quote::DOUBLE_LINES, Quote::SINGLE_LINES, Quote::COMMAND],
    quoted_words: &[("x", Kind::Command), ("q", Kind::Text), ("Q", Kind::Text), ("w", Kind::Text)],
    percent: true,
    heredoc: Some("<<"),
    patterns: true,
    dollar_names: true,
    ..NONE
};
pub(crate) static PERL: Lexis = Lexis {
    lines: &["#"],
    blocks: &[],
    margin: Some(("=", "\n=cut")),
    quotes: &[Quote::DOUBLE_LINES, Quote::SINGLE_LINES, Quote::COMMAND],
    quoted_words: &[
        ("qx", Kind::Command),
        ("q", Kind::Text),
        ("qq", Kind::Text),
        ("qw", Kind::Text),
        ("m", Kind::Text),
        ("qr", Kind::Text),
        ("s", Kind::Text),
        ("tr", Kind::Text),
        ("y", Kind::Text),
    ],
    heredoc: Some("<<"),
    patterns: true,
    dollar_names: true,
    ..NONE
};
pub(crate) static PHP: Lexis = Lexis {
    lines: &["//", "#"],
    quotes: &[Quote::DOUBLE_LINES, Quote::SINGLE_LINES, Quote::COMMAND],
    heredoc: Some("<<<"),
    dollar_names: true,
    opening: Some("<?"),
    ..NONE
};
pub(crate) static LUA: Lexis = Lexis {
    lines: &["--"],
    blocks: &[Block { open: "--[[", close: "]]", nests: false }],
    quotes: &[Quote::DOUBLE, Quote::SINGLE],
    long_brackets: true,
    ..NONE
};
pub(crate) static R: Lexis = Lexis {
    lines: &["#"],
    blocks: &[],
    quotes: &[Quote::DOUBLE_LINES, Quote::SINGLE_LINES, Quote::TEMPLATE],
    ..NONE
};
pub(crate) static JULIA: Lexis = Lexis {
    lines: &["#"],
    blocks: &[Block { open: "#=", close: "=#", nests: true }],
    quotes: &[Quote::TRIPLE, Quote::DOUBLE_LINES, Quote::CHARACTER, Quote::COMMAND],
    prefixes: &["r", "b", "v"],
    ..NONE
};
pub(crate) static GO: Lexis =
    Lexis { quotes: &[Quote::DOUBLE, Quote::CHARACTER, Quote { raw: true, ..Quote::TEMPLATE }], ..NONE };
pub(crate) static RUST: Lexis = Lexis {
    blocks: &[Block { nests: true, ..C_BLOCK }],
    quotes: &[Quote::DOUBLE_LINES, Quote::CHARACTER],
    prefixes: &["r", "b", "c", "br", "cr"],
    hashes: true,
    ..NONE
};
pub(crate) static C: Lexis = Lexis { prefixes: &["l", "u", "u8"], ..NONE };
pub(crate) static JAVA: Lexis = Lexis { quotes: &[Quote::TRIPLE, Quote::DOUBLE, Quote::CHARACTER], ..NONE };
