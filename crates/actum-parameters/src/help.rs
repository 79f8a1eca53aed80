//! Options out of the text of a `--help`: argparse, click and typer, absl, and others that look like them.
//!
//! A line that begins with a dash is an option, lines that are indented further are its description. Pure; linear in the text.

/// One option of a program.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct HelpOption {
    /// `-b`, `--batch-size`
    pub flags: Vec<String>,
    /// `--no-cache`
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub negative_flags: Vec<String>,
    /// What stands for its value: `INTEGER`, `BATCH_SIZE`. A switch has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metavar: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    pub description: String,
}

impl HelpOption {
    /// Without its dashes, with underscores.
    pub fn name(&self) -> String {
        let long = self.flags.iter().find(|flag| flag.starts_with("--")).or_else(|| self.flags.first());
        long.map(|flag| flag.trim_start_matches('-').replace('-', "_")).unwrap_or_default()
    }

    /// Whether it takes no value.
    pub fn is_switch(&self) -> bool {
        self.metavar.is_none() && self.choices.is_empty()
    }
}

/// More options are not listed.
const MOST: usize = 1_000;

/// Descriptions are cut there.
const LONGEST: usize = 500;

/// Reads all options of a help text, in its order.
pub fn parse_help(text: &str) -> Vec<HelpOption> {
    let mut options: Vec<HelpOption> = Vec::new();
    let mut indentation = None;
    for line in text.lines() {
        let line = without_frame(line);
        let depth = line.len() - line.trim_start().len();
        let content = line.trim();
        if let Some(option) = is_option(content, depth).then(|| header(content)).flatten() {
            if options.len() == MOST {
                break;
            }
            indentation = Some(depth);
            options.push(option);
        } else if content.is_empty() {
            continue;
        } else if indentation.is_some_and(|outer| depth > outer) {
            if let Some(option) = options.last_mut() {
                describe(option, content);
            }
        } else {
            indentation = None;
        }
    }
    for option in &mut options {
        finish(option);
    }
    options
}

/// Boxes that rich draws, and the star before what is required.
fn without_frame(line: &str) -> String {
    let framed = line.trim_start().starts_with(['│', '|', '┃']);
    if !framed {
        return line.to_owned();
    }
    let inner = line.trim().trim_matches(['│', '|', '┃']);
    match inner.trim_start().strip_prefix('*') {
        Some(rest) => format!(" {}", rest.trim_start()),
        None => inner.trim_end().to_owned(),
    }
}

/// A usage line names options as well, but not at its beginning.
fn is_option(content: &str, depth: usize) -> bool {
    let mut letters = content.chars();
    let is_flag = letters.next() == Some('-')
        && letters.next().is_some_and(|second| second == '-' || second.is_alphanumeric() || second == '?');
    is_flag
        && depth <= 24
        && content
            .trim_start_matches('-')
            .starts_with(|first: char| first.is_alphanumeric() || "[?".contains(first))
}

fn header(content: &str) -> Option<HelpOption> {
    let (flags, description) = parts(content);
    let mut option = HelpOption {
        flags: Vec::new(),
        negative_flags: Vec::new(),
        metavar: None,
        choices: Vec::new(),
        default: None,
        description: String::new(),
    };
    for piece in pieces(flags) {
        let (flag, value) = piece.split_once([' ', '=']).unwrap_or((piece, ""));
        if !flag.starts_with('-') {
            // A type of its own column: `--epochs  INTEGER`.
            continue;
        }
        push_flag(&mut option, flag.trim_end_matches(['=', '[', ':']));
        push_value(&mut option, value.trim());
    }
    let mut description = description;
    // rich puts short and negative flags and the type into columns.
    while description.starts_with('-') {
        let (flag, rest) = description.split_once("  ").unwrap_or((description, ""));
        if flag.contains(' ') {
            break;
        }
        push_flag(&mut option, flag);
        description = rest.trim_start();
    }
    if option.is_switch()
        && let Some((first, rest)) = column(description)
    {
        push_value(&mut option, first);
        description = rest;
    }
    describe(&mut option, description);
    (!option.flags.is_empty()).then_some(option)
}

/// Flags before two blanks, or before the colon of absl.
fn parts(content: &str) -> (&str, &str) {
    let gap = content.find("  ").unwrap_or(content.len());
    let colon = content
        .find(": ")
        .or_else(|| content.ends_with(':').then(|| content.len() - 1))
        .unwrap_or(content.len());
    // A colon after the flag itself: `--epochs: how many`.
    let is_flag = |one: &str| one.trim().starts_with('-') && !one.trim().contains(' ');
    let is_absl = colon < gap && content[..colon].split(',').all(is_flag);
    let end = if is_absl { colon } else { gap };
    let rest = content.get(end..).unwrap_or_default();
    (&content[..end], rest.strip_prefix(':').unwrap_or(rest).trim())
}

/// `-b N, --batch-size N` and `--on / --off` in their pieces; commas between braces are of a list of choices.
fn pieces(flags: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut depth, mut start) = (0_usize, 0);
    for (at, letter) in flags.char_indices() {
        match letter {
            '{' | '[' | '<' | '(' => depth += 1,
            '}' | ']' | '>' | ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                found.push(flags[start..at].trim());
                start = at + 1;
            }
            '/' if depth == 0 && flags[at + 1..].trim_start().starts_with('-') => {
                found.push(flags[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(flags[start..].trim());
    found.retain(|piece| !piece.is_empty());
    found
}

fn push_flag(option: &mut HelpOption, flag: &str) {
    // `--[no]cache`, `--[no-]cache`
    for no in ["no-", "no_", "no"] {
        if let Some(name) = flag.strip_prefix(&format!("--[{no}]")) {
            option.flags.push(format!("--{name}"));
            option.negative_flags.push(format!("--{no}{name}"));
            return;
        }
    }
    let name = flag.trim_start_matches('-');
    let is_of_other = |no: &str| {
        name.strip_prefix(no)
            .is_some_and(|rest| option.flags.iter().any(|known| known.trim_start_matches('-') == rest))
    };
    if is_of_other("no-") || is_of_other("no_") || is_of_other("no") {
        option.negative_flags.push(flag.to_owned());
    } else if option.flags.len() < 8 && !flag.is_empty() {
        option.flags.push(flag.to_owned());
    }
}

fn push_value(option: &mut HelpOption, value: &str) {
    if value.is_empty() {
        return;
    }
    let inner = value.trim_start_matches('[').trim_end_matches(']');
    let listed =
        value.strip_prefix('{').and_then(|rest| rest.split_once('}')).map(|(list, _)| list.split(','));
    let by_bars = inner.contains('|').then(|| inner.split('|'));
    match (listed, by_bars) {
        (Some(list), _) => option.choices = list.map(|one| one.trim().to_owned()).collect(),
        (None, Some(list)) => option.choices = list.map(|one| one.trim().to_owned()).collect(),
        (None, None) => {
            option.metavar.get_or_insert_with(|| value.to_owned());
        }
    }
}

/// A first word in capitals that is a type, and what follows it after a gap.
fn column(description: &str) -> Option<(&str, &str)> {
    let (first, rest) = description.split_once("  ").unwrap_or((description, ""));
    let is_type = !first.is_empty()
        && (first.bytes().all(|byte| byte.is_ascii_uppercase() || b"_<>[]|. ".contains(&byte))
            || first.starts_with('[') && first.ends_with(']') && first.contains('|'));
    // One word of capitals alone may be a sentence; these are types.
    let known =
        ["INTEGER", "FLOAT", "TEXT", "PATH", "FILE", "DIRECTORY", "FILENAME", "BOOLEAN", "UUID", "DATETIME"];
    let is_known = known.iter().any(|known| first.starts_with(known)) || first.starts_with(['[', '<']);
    (is_type && is_known).then(|| (first, rest.trim()))
}

fn describe(option: &mut HelpOption, text: &str) {
    let free = LONGEST.saturating_sub(option.description.len());
    if text.is_empty() || free == 0 {
        return;
    }
    if !option.description.is_empty() {
        option.description.push(' ');
    }
    option.description.extend(text.chars().take(free));
}

/// The default and, for absl, the type out of the description.
fn finish(option: &mut HelpOption) {
    let text = option.description.as_str();
    let found = ["(default: ", "[default: ", "(default ", "(default=", "default=", "Default: ", "[default="]
        .iter()
        .find_map(|start| {
            let (_, rest) = text.split_once(start)?;
            let end = rest.find([')', ']', ';']).unwrap_or(rest.len());
            Some(rest[..end].trim().trim_end_matches(['.', ',']).trim_matches(['\'', '"']).to_owned())
        });
    // Of absl's own types; a boolean there has `[no]` and no type.
    let typed = [("(an integer", "INTEGER"), ("(a number", "FLOAT"), ("(a comma separated list", "LIST")];
    if let Some((_, metavar)) = typed.iter().find(|(start, _)| text.contains(start)) {
        option.metavar.get_or_insert_with(|| (*metavar).to_owned());
    }
    if option.is_switch()
        && option.negative_flags.is_empty()
        && found
            .as_ref()
            .is_some_and(|default| !matches!(default.as_str(), "False" | "True" | "false" | "true" | "None"))
    {
        // A default that is no boolean: it takes a value, though nothing stands for it.
        option.metavar = Some("VALUE".to_owned());
    }
    option.default = found.filter(|default| !default.is_empty());
}
