//! Every package that is really built, with its licence, as `cargo tree` tells it.
//!
//! `cargo metadata` also lists optional packages that no feature turns on (those behind `name?/feature`), which would
//! be reported as duplicates although nothing compiles them.

use crate::command::Command;
use crate::error::Error;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Package {
    pub name: String,
    pub version: String,
    pub licence: Option<String>,
}

/// The packages of builds for any of the targets, development ones included. Cargo downloads what is missing, since
/// it reads licences from the packages themselves.
pub fn packages(targets: &[String]) -> Result<Vec<Package>, Error> {
    let mut packages = Vec::new();
    for target in targets {
        let fixed = ["tree", "--locked", "--workspace", "--edges", "normal,build,dev", "--prefix", "none"];
        let chosen = ["--format", "{p}\t{l}", "--target", target];
        packages.extend(read(&Command::cargo(&[&fixed[..], &chosen[..]].concat()).output()?)?);
    }
    packages.sort();
    packages.dedup();
    Ok(packages)
}

fn read(tree: &str) -> Result<Vec<Package>, Error> {
    tree.lines().filter(|line| !line.trim().is_empty()).map(read_line).collect()
}

/// `name v1.2.3 (proc-macro)<tab>licence (*)`; the mark says that the package was shown before.
fn read_line(line: &str) -> Result<Package, Error> {
    let malformed =
        || Error::Malformed { what: "the output of cargo tree".to_owned(), reason: line.to_owned() };
    let (package, licence) = line.split_once('\t').ok_or_else(malformed)?;
    let mut words = package.split(' ');
    let name = words.next().ok_or_else(malformed)?.to_owned();
    let version = words.next().and_then(|word| word.strip_prefix('v')).ok_or_else(malformed)?.to_owned();
    let licence = licence.trim_end_matches("(*)").trim();
    let licence = (!licence.is_empty()).then(|| licence.to_owned());
    Ok(Package { name, version, licence })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, version: &str, licence: Option<&str>) -> Package {
        Package { name: name.to_owned(), version: version.to_owned(), licence: licence.map(str::to_owned) }
    }

    #[test]
    fn lines_of_cargo_tree() {
        let tree = "actum v0.1.0 (/tmp/a b)\tMIT OR Apache-2.0\n\nserde_derive v1.0.1 (proc-macro)\tMIT (*)\nnone v1.0.0\t (*)\n";
        let expected = [
            package("actum", "0.1.0", Some("MIT OR Apache-2.0")),
            package("serde_derive", "1.0.1", Some("MIT")),
            package("none", "1.0.0", None),
        ];
        assert_eq!(read(tree).unwrap(), expected);
    }

    #[test]
    fn another_shape_is_an_error() {
        assert!(read("warning: something").is_err());
        assert!(read("serde 1\tMIT").is_err());
    }
}
