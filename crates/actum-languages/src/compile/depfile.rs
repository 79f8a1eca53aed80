//! The files that a compiler says it read, in the form of make. Pure.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

/// More files than any program here has; a longer list is not believed.
pub(super) const MOST: usize = 8192;

/// The files of every rule, once each, in their order. None where it is no list or too long a one.
pub(super) fn read(text: &[u8]) -> Option<Vec<PathBuf>> {
    let mut files: Vec<PathBuf> = Vec::new();
    for line in logical_lines(text) {
        // A rule per line; rustc adds comments, and a rule without files for each file.
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        let colon = line.windows(2).position(|pair| pair == b": ").or_else(|| line.len().checked_sub(1))?;
        if line[colon] != b':' {
            return None;
        }
        for word in words(&line[colon + 1..]) {
            let path = PathBuf::from(OsString::from_vec(word));
            if !files.contains(&path) {
                files.push(path);
            }
        }
        if files.len() > MOST {
            return None;
        }
    }
    Some(files)
}

/// Lines, with those joined that end in a backslash.
fn logical_lines(text: &[u8]) -> Vec<Vec<u8>> {
    let mut lines = Vec::new();
    let mut joined: Vec<u8> = Vec::new();
    for line in text.split(|byte| *byte == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if let Some(start) = line.strip_suffix(b"\\") {
            joined.extend_from_slice(start);
            joined.push(b' ');
            continue;
        }
        joined.extend_from_slice(line);
        lines.push(std::mem::take(&mut joined));
    }
    lines
}

/// Words apart from spaces; `\ ` and `\#` are characters of a name, `$$` is one dollar.
fn words(text: &[u8]) -> Vec<Vec<u8>> {
    let mut words = vec![Vec::new()];
    let mut rest = text.iter().copied().peekable();
    while let Some(byte) = rest.next() {
        let word = words.last_mut().expect("the list begins with a word and never shrinks");
        match (byte, rest.peek()) {
            (b'\\', Some(b' ' | b'#' | b'\\' | b'\t')) | (b'$', Some(b'$')) => word.extend(rest.next()),
            (b' ' | b'\t', _) => words.push(Vec::new()),
            (other, _) => word.push(other),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Option<Vec<String>> {
        Some(read(text.as_bytes())?.iter().map(|path| path.display().to_string()).collect())
    }

    #[test]
    fn what_compilers_write_is_read() {
        let gcc = "/o/program: main.c a\\ b.h \\\n  sub/$$x.h \\\n /usr/include/stdio.h\n";
        assert_eq!(read_text(gcc).unwrap(), ["main.c", "a b.h", "sub/$x.h", "/usr/include/stdio.h"]);
        let rustc = "/o/program: main.rs helper.rs\n\n/o/reads.d: main.rs helper.rs\n\nmain.rs:\nhelper.rs:\n\n# env-dep:X=1\n";
        assert_eq!(read_text(rustc).unwrap(), ["main.rs", "helper.rs"]);
        assert_eq!(read_text("").unwrap(), Vec::<String>::new());
        assert_eq!(read_text("no rule here"), None);
    }

    #[test]
    fn endless_lists_are_not_believed() {
        let long: String = (0..=MOST).map(|index| format!(" f{index}")).collect();
        assert_eq!(read_text(&format!("a:{long}\n")), None);
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes: Vec<u8>) {
            let _ = read(&bytes);
        }
    }
}
