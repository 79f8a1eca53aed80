//! Source distributions. Each brings its own builder (PEP 517, `backend-path`), so that building one needs no other package
//! and no network: whatever else happens while it is built is what the test put there.

use super::archive::{self, Entry};
use super::package::Release;
use super::wheel;

const PROJECT: &str = "\
[build-system]
requires = []
build-backend = \"builder\"
backend-path = [\".\"]
";

/// Packs the wheel that lies in the archive; what a hostile builder does comes before it.
const BUILDER: &str = "\
import os, shutil

def build_wheel(folder, config_settings=None, metadata_directory=None):
    shutil.copy(os.path.join('built', WHEEL), os.path.join(folder, WHEEL))
    return WHEEL

def build_sdist(folder, config_settings=None):
    raise NotImplementedError
";

/// The name of the file.
pub(super) fn file_name(package: &str, release: &Release) -> String {
    format!("{}.tar.gz", stem(package, release))
}

/// The whole archive. What runs at build time runs in `setup.py` and in the builder alike.
pub(super) fn sdist(package: &str, release: &Release) -> Vec<u8> {
    let stem = stem(package, release);
    let tag = "py3-none-any";
    let built = wheel::file_name(package, release, tag);
    let setup = format!(
        "{}\nfrom setuptools import setup\nsetup(name={package:?}, version={:?}, py_modules=[])\n",
        release.on_build, release.version
    );
    let builder = format!("{}\nWHEEL = {built:?}\n{BUILDER}", release.on_build);
    let mut entries: Vec<Entry> = vec![
        (format!("{stem}/PKG-INFO"), wheel::metadata(package, release).into_bytes()),
        (format!("{stem}/pyproject.toml"), PROJECT.as_bytes().to_vec()),
        (format!("{stem}/builder.py"), builder.into_bytes()),
        (format!("{stem}/setup.py"), setup.into_bytes()),
        (format!("{stem}/built/{built}"), wheel::wheel(package, release, tag)),
    ];
    let modules = release.modules.iter();
    entries.extend(modules.map(|(path, text)| (format!("{stem}/{path}"), text.clone().into_bytes())));
    archive::tar_gz(&entries)
}

fn stem(package: &str, release: &Release) -> String {
    format!("{}-{}", wheel::escaped(package), release.version)
}
