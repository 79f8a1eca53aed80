//! Perl, line by line: only what begins a statement and names a module.
//!
//! Only Perl itself can parse Perl, and the one grammar that is kept up weighs as much as all the others together. So
//! whether a program is whole is not told, and the reading says so.

use crate::text::beginning;
use actum_model::{EntryPoint, FileMode, FileUse, Import, ImportKind, Reading, Sign, Variable};

/// More are not listed.
const MOST: usize = 500;

pub(crate) fn read(text: &str, reading: &mut Reading) {
    reading.notes.push("it was not checked for completeness".to_owned());
    for (at, line) in text.lines().enumerate() {
        let number = u32::try_from(at + 1).unwrap_or(u32::MAX);
        let words = line.trim();
        if words == "__END__" || words == "__DATA__" {
            break;
        }
        if words.is_empty() || words.starts_with('#') {
            continue;
        }
        reading.entry = EntryPoint::Script;
        import(words, number, reading);
        if words.contains("<STDIN>") || words.contains("<>") {
            reading.stdin.get_or_insert(Sign { what: "<STDIN>".to_owned(), line: number });
        }
        variable(words, number, reading);
        opened(words, number, reading);
    }
}

/// `use Foo::Bar;`, `require Foo::Bar;`, `require 'file.pl';`
fn import(words: &str, line: u32, reading: &mut Reading) {
    let Some((via, rest)) =
        words.split_once(char::is_whitespace).filter(|(via, _)| matches!(*via, "use" | "require"))
    else {
        return;
    };
    let rest = rest.trim_start();
    let is_file = rest.starts_with(['"', '\'']);
    let end = rest.trim_start_matches(['"', '\'']).find([';', ' ', '(', '"', '\'']);
    let module = rest.trim_start_matches(['"', '\'']);
    let module = &module[..end.unwrap_or(module.len())];
    // `use strict` and the like, and `use 5.010`, are for the language itself.
    let is_module = is_file || module.starts_with(|letter: char| letter.is_ascii_uppercase());
    let is_name = module.chars().all(|letter| letter.is_alphanumeric() || "_:./-".contains(letter))
        && !module.is_empty();
    if !is_module || !is_name || reading.imports.len() >= MOST {
        return;
    }
    let kind = if is_file { ImportKind::Relative } else { ImportKind::Plain };
    let module = beginning(module, 200).to_owned();
    reading.imports.push(Import { module, names: Vec::new(), line, kind, via: via.to_owned() });
}

/// `$ENV{X}`, `$ENV{'X'}`
fn variable(words: &str, line: u32, reading: &mut Reading) {
    let Some((_, rest)) = words.split_once("$ENV{") else { return };
    let name = rest.split('}').next().unwrap_or("").trim_matches(['"', '\'']);
    let is_name = !name.is_empty()
        && name.len() <= 100
        && name.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    let is_new = reading.variables.iter().all(|known| known.name != name);
    if is_name && is_new && reading.variables.len() < MOST {
        reading.variables.push(Variable { name: name.to_owned(), needed: false, default: None, line });
    }
}

/// `open(my $f, '<', 'file')`
fn opened(words: &str, line: u32, reading: &mut Reading) {
    let Some((_, rest)) = words.split_once("open") else { return };
    let mut parts = rest.split(',').skip(1).map(|part| part.trim().trim_end_matches([')', ';', ' ']));
    let (Some(mode), Some(path)) = (parts.next(), parts.next()) else { return };
    let mode = match mode.trim_matches(['"', '\'']).split(':').next().unwrap_or("").trim() {
        "<" => FileMode::Read,
        ">" => FileMode::Write,
        ">>" => FileMode::Append,
        _ => return,
    };
    let literal = path.split(" or ").next().unwrap_or("").trim().trim_end_matches(')');
    let quote = literal.chars().next().filter(|quote| matches!(quote, '"' | '\''));
    let Some(path) = quote.and_then(|quote| literal.strip_prefix(quote)?.strip_suffix(quote)) else { return };
    if !path.is_empty() && !path.contains('$') && path.len() <= 300 && reading.files.len() < MOST {
        reading.files.push(FileUse { path: path.to_owned(), mode, by: "open".to_owned(), line });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_files_and_variables_are_found() {
        let text = "#!/usr/bin/perl\nuse strict;\nuse 5.010;\nuse LWP::UserAgent;\nuse List::Util qw(sum max);\nrequire 'lib.pl';\n# use Not::This;\nmy $k = $ENV{KEY};\nopen(my $f, '<', 'a.txt') or die;\nmy $x = <STDIN>;\n__END__\nuse Nor::This;\n";
        let mut reading = Reading::of("perl");
        read(text, &mut reading);
        let imports: Vec<_> =
            reading.imports.iter().map(|one| (one.module.as_str(), one.kind, one.line)).collect();
        let expected = [
            ("LWP::UserAgent", ImportKind::Plain, 4),
            ("List::Util", ImportKind::Plain, 5),
            ("lib.pl", ImportKind::Relative, 6),
        ];
        assert_eq!(imports, expected);
        assert_eq!((reading.variables[0].name.as_str(), reading.files[0].path.as_str()), ("KEY", "a.txt"));
        assert_eq!(reading.stdin.unwrap().line, 10);
    }
}
