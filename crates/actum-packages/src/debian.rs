//! Which package of Debian holds something of the system. The rows are of its release 12.
//!
//! Named to a person, or put into an image; never installed on a machine unasked.

use crate::table::{Packed, Table};

static SONAMES: Packed = Packed::new(include_bytes!("../data/debian/sonames.tsv.zst"));
static COMMANDS: Packed = Packed::new(include_bytes!("../data/debian/commands.tsv.zst"));
static HEADERS: Table = Table::new(include_str!("../data/debian/headers.tsv"));
static PKG_CONFIG: Table = Table::new(include_str!("../data/debian/pkg-config.tsv"));

/// The package that holds a shared library: `libGL.so.1` is in `libgl1`.
pub fn debian_for_library(soname: &str) -> Option<&'static str> {
    let name = soname.rsplit('/').next().unwrap_or(soname);
    first(SONAMES.table(), name)
}

/// The package that holds a command: `dot` is in `graphviz`.
pub fn debian_for_command(command: &str) -> Option<&'static str> {
    let name = command.rsplit('/').next().unwrap_or(command);
    first(CHOSEN_COMMANDS, name).or_else(|| first(COMMANDS.table(), name))
}

/// The package with a header of C, for the few hundred that builds ask for: `Python.h` is in `python3-dev`.
pub fn debian_for_header(header: &str) -> Option<&'static str> {
    let name = header.trim_matches(['<', '>', '"']);
    let shorter = name.rsplit_once('/').map(|(_, last)| last);
    first(HEADERS, name).or_else(|| first(HEADERS, shorter?))
}

/// The package with what pkg-config is asked for: `cairo` is in `libcairo2-dev`.
pub fn debian_for_pkg_config(name: &str) -> Option<&'static str> {
    first(PKG_CONFIG, name)
}

/// Commands that several packages hold, or that the index names by a package which nobody means.
const CHOSEN_COMMANDS: Table = Table::new(
    "c++\tg++\ncc\tgcc\nchromedriver\tchromium-driver\nconvert\timagemagick\ngcc\tgcc\njava\tdefault-jre-headless\n\
     javac\tdefault-jdk-headless\nmake\tmake\nmysql\tdefault-mysql-client\nnpm\tnpm\nphp\tphp-cli\npip\tpython3-pip\n\
     psql\tpostgresql-client\npython\tpython-is-python3\nsoffice\tlibreoffice\nvi\tvim\nvim\tvim\n",
);

/// Of several packages the first.
fn first(table: Table, key: &str) -> Option<&'static str> {
    table.find(key)?.field(1).split(',').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_builds_and_runs_ask_for() {
        for (soname, package) in [
            ("libGL.so.1", "libgl1"),
            ("/usr/lib/libsndfile.so.1", "libsndfile1"),
            ("libgthread-2.0.so.0", "libglib2.0-0"),
        ] {
            assert_eq!(debian_for_library(soname), Some(package), "{soname}");
        }
        for (command, package) in [
            ("tesseract", "tesseract-ocr"),
            ("dot", "graphviz"),
            ("java", "default-jre-headless"),
            ("/usr/bin/ffmpeg", "ffmpeg"),
            ("convert", "imagemagick"),
            ("gcc", "gcc"),
        ] {
            assert_eq!(debian_for_command(command), Some(package), "{command}");
        }
        for (header, package) in [
            ("Python.h", "python3-dev"),
            ("portaudio.h", "portaudio19-dev"),
            ("<openssl/ssl.h>", "libssl-dev"),
            ("libpq-fe.h", "libpq-dev"),
        ] {
            assert_eq!(debian_for_header(header), Some(package), "{header}");
        }
        assert_eq!(debian_for_pkg_config("cairo"), Some("libcairo2-dev"));
        assert_eq!(debian_for_command("no-such-command-anywhere"), None);
        assert_eq!(debian_for_library("libnothing.so.99"), None);
    }

    #[test]
    fn every_row_is_found() {
        for table in [SONAMES.table(), COMMANDS.table(), HEADERS, PKG_CONFIG, CHOSEN_COMMANDS] {
            for row in table.rows() {
                assert_eq!(table.find(row.key()), Some(row), "{}", row.key());
            }
        }
    }
}
