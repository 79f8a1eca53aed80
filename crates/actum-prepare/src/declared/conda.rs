//! `environment.yml`: the part for pip as it is, names of conda by the names that the index has for them.
//!
//! Only the form that such files have is read: a list of words, and below `pip:` a second one. What is no package of Python
//! (compilers, libraries, other languages) is left out with a note: it is the machine's to have.

use super::requirements::{self, Reading, leave_out};
use super::{Declared, refused};
use crate::error::PrepareError;
use std::path::Path;

/// More packages than any environment has.
const MOST: usize = 5_000;
/// Names that differ.
const NAMES: [(&str, &str); 24] = [
    ("beautifulsoup4", "beautifulsoup4"),
    ("dask-core", "dask"),
    ("faiss-cpu", "faiss-cpu"),
    ("graphviz", ""),
    ("matplotlib-base", "matplotlib"),
    ("msgpack-python", "msgpack"),
    ("opencv", "opencv-python-headless"),
    ("py-opencv", "opencv-python-headless"),
    ("pip", ""),
    ("plotly-orca", ""),
    ("py-xgboost", "xgboost"),
    ("pytables", "tables"),
    ("python-graphviz", "graphviz"),
    ("python-kaleido", "kaleido"),
    ("pytorch", "torch"),
    ("pytorch-cpu", "torch"),
    ("pytorch-lightning", "pytorch-lightning"),
    ("ruamel_yaml", "ruamel.yaml"),
    ("tensorflow-base", "tensorflow"),
    ("tensorflow-gpu", "tensorflow"),
    ("umap-learn", "umap-learn"),
    ("wheel", "wheel"),
    ("xgboost", "xgboost"),
    ("zeromq", ""),
];
/// How packages begin that are not Python's.
const NOT_PYTHON: [&str; 22] = [
    "r-",
    "lib",
    "cuda",
    "cudnn",
    "gcc",
    "gxx",
    "gfortran",
    "make",
    "cmake",
    "git",
    "nodejs",
    "openssl",
    "ffmpeg",
    "pandoc",
    "mkl",
    "blas",
    "openblas",
    "openmpi",
    "mpich",
    "ca-certificates",
    "sqlite",
    "zlib",
];
/// Packages of Python that begin like that.
const PYTHON_ALL_THE_SAME: [&str; 6] = ["gitpython", "librosa", "libcst", "libsass", "blasse", "libclang"];

pub(super) fn read(path: &Path, text: &str, workspace: &Path) -> Result<Declared, PrepareError> {
    let declared = Declared { files: vec![path.to_path_buf()], ..Declared::default() };
    let mut reading = Reading::new(workspace, declared);
    let mut items = 0;
    let mut part = Part::Elsewhere;
    for line in text.lines() {
        let bare = line.split(" #").next().unwrap_or_default().trim_end();
        let word = bare.trim_start();
        if word.is_empty() || word.starts_with('#') {
            continue;
        }
        let indent = bare.len() - word.len();
        if let (false, Some(key)) = (word.starts_with('-'), word.split(':').next().filter(|_| indent == 0)) {
            part = if key == "dependencies" { Part::Dependencies { indent: None } } else { Part::Elsewhere };
            continue;
        }
        let Some(item) = word.strip_prefix('-').map(|item| item.trim().trim_matches(['"', '\''])) else {
            continue;
        };
        part = part.at(indent, item);
        items += 1;
        if items > MOST {
            return Err(refused(path, item, "it has too many lines"));
        }
        match part {
            Part::Elsewhere => {}
            Part::Dependencies { .. } if item == "pip:" => {}
            Part::Dependencies { .. } => package(path, item, &mut reading.declared)?,
            Part::Pip { .. } => reading.single(path, item)?,
        }
    }
    Ok(reading.declared)
}

/// Where in the file we are.
#[derive(Clone, Copy)]
enum Part {
    Elsewhere,
    Dependencies { indent: Option<usize> },
    Pip { outer: usize },
}

impl Part {
    fn at(self, indent: usize, item: &str) -> Self {
        match self {
            Self::Elsewhere => Self::Elsewhere,
            Self::Dependencies { indent: Some(outer) } if indent > outer => Self::Pip { outer },
            Self::Dependencies { .. } => Self::Dependencies { indent: Some(indent) },
            Self::Pip { outer } if indent > outer && item != "pip:" => Self::Pip { outer },
            Self::Pip { .. } => Self::Dependencies { indent: Some(indent) },
        }
    }
}

fn package(path: &Path, item: &str, declared: &mut Declared) -> Result<(), PrepareError> {
    // A channel may stand in front.
    let item = item.rsplit("::").next().unwrap_or(item);
    let name = crate::name_of(item).to_ascii_lowercase();
    let version = version(item[name.len()..].trim())
        .ok_or_else(|| refused(path, item, "its version cannot be parsed"))?;
    if name.is_empty() {
        return Err(refused(path, item, "it is not a package"));
    }
    if name == "python" {
        declared.python = Some(version).filter(|version| !version.is_empty());
        return Ok(());
    }
    let known = NAMES.iter().find(|(theirs, _)| *theirs == name).map(|(_, ours)| *ours);
    let is_other = NOT_PYTHON.iter().any(|start| name.starts_with(start))
        && !PYTHON_ALL_THE_SAME.contains(&name.as_str());
    match known {
        Some("") => leave_out(declared, item, "it is not a package of the index"),
        Some(ours) => requirements::package(declared, path, &format!("{ours}{version}"))?,
        None if is_other || name.starts_with('_') => {
            leave_out(declared, item, "it is not a Python package");
        }
        None => requirements::package(declared, path, &format!("{name}{version}"))?,
    }
    Ok(())
}

/// Versions of conda in the words of PEP 440: `=1.2` is a beginning, a second `=` names a build.
fn version(text: &str) -> Option<String> {
    let is_plain =
        |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || "<>=!~.,*+ -_|".contains(c));
    if text.is_empty() || text == "*" {
        return Some(String::new());
    }
    if !is_plain(text) || text.contains('|') {
        return None;
    }
    let exact = text.strip_prefix("==").map(|rest| (rest, ""));
    let begun = || text.strip_prefix('=').map(|rest| (rest, ".*"));
    match exact.or_else(begun) {
        Some((rest, end)) => {
            let (version, build) =
                rest.split_once('=').map_or((rest, None), |(version, build)| (version, Some(build)));
            let version = version.trim().trim_end_matches(".*").trim_end_matches('*');
            let end = if build.is_some() { "" } else { end };
            (!version.is_empty()).then(|| format!("=={version}{end}"))
        }
        None if text.starts_with(['<', '>', '!', '~']) => Some(text.replace(' ', "")),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Result<Declared, PrepareError> {
        read(Path::new("/w/environment.yml"), text, Path::new("/w"))
    }

    #[test]
    fn both_parts_are_read() {
        let text = "name: x\nchannels:\n  - conda-forge\ndependencies:\n  - python=3.10\n  - numpy>=1.20,<2\n  - conda-forge::pytorch=2.1\n  - pandas==1.5.3\n  - scipy=1.9.1=py310_0 # why\n  - cudatoolkit=11.3\n  - libgcc\n  - librosa\n  - pip\n  - pip:\n    - requests>=2\n    - six\nprefix: /somewhere\n";
        let found = read_text(text).unwrap();
        assert_eq!(found.python.as_deref(), Some("==3.10.*"));
        assert_eq!(
            found.requirements,
            [
                "numpy>=1.20,<2",
                "torch==2.1.*",
                "pandas==1.5.3",
                "scipy==1.9.1",
                "librosa",
                "requests>=2",
                "six"
            ]
        );
        assert_eq!(found.notes.len(), 3, "{:?}", found.notes);
        let flat = read_text("dependencies:\n- numpy\n- pip:\n  - six\n- pandas\n").unwrap();
        assert_eq!(flat.requirements, ["numpy", "six", "pandas"]);
    }

    #[test]
    fn what_cannot_be_kept_is_refused() {
        for text in [
            "dependencies:\n  - pip:\n    - git+https://a.example/x\n",
            "dependencies:\n  - numpy 1.20;x\n",
            "dependencies:\n  - $(id)\n",
        ] {
            assert!(read_text(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_number_of_packages_is_bounded() {
        for item in ["numpy", "libx", "pip"] {
            let text = format!("dependencies:\n{}", format!("  - {item}\n").repeat(MOST + 1));
            assert!(read_text(&text).unwrap_err().to_string().contains("too many"), "{item}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_file_is_read_or_refused(text in "(dependencies:\n)?([-a-z:= .\n*|#]){0,100}") {
            let _ = read_text(&text);
        }
    }
}
