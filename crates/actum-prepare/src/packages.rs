//! What the tables of packages say, in the words of this room.

use crate::era::{self, Day};
use crate::{Carrier, Version};
use actum_model::{Import, NameUse};
use actum_packages::{Carried, Display, NpmNeed, Provider, PythonVersion, Registry, Rules, Verdict};

pub use actum_packages::is_known;
pub(crate) use actum_packages::slip_of_popular as slip;

/// What brings a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Brought {
    /// A package, as the installer is asked for it.
    By(String),
    /// The file of a project.
    ByTheProject,
    /// Something that is no package, in words.
    Elsewhere(String),
    ByNobody,
}

/// Which package brings a module.
pub fn bringing(module: &str, display: Display) -> Brought {
    Brought::from(actum_packages::provider(module, display))
}

/// What brings everything that an import takes.
pub(crate) fn bringing_all(import: &Import, display: Display) -> Vec<Brought> {
    actum_packages::providers(import, display).into_iter().map(Brought::from).collect()
}

impl From<Provider> for Brought {
    fn from(provider: Provider) -> Self {
        match provider {
            Provider::Package(provided) => {
                Self::By(format!("{}{}", provided.package, provided.bound.unwrap_or_default()))
            }
            Provider::Python2 { now: Some(now) } => {
                Self::Elsewhere(format!("Python 2; Python 3 calls it `{now}`"))
            }
            Provider::Python2 { now: None } => Self::Elsewhere("Python 2".to_owned()),
            Provider::Elsewhere { place } => Self::Elsewhere(place.to_owned()),
            Provider::Generic => Self::ByTheProject,
            Provider::Unknown => Self::ByNobody,
        }
    }
}

pub fn is_standard(module: &str, version: (u8, u8)) -> bool {
    actum_packages::is_standard(module, PythonVersion(version.0, version.1))
}

/// A module that this Python's library no longer has: since when, and the package that brings it back.
pub fn removed_standard(module: &str, version: (u8, u8)) -> Option<((u8, u8), Option<&'static str>)> {
    let removed = actum_packages::removed_standard(module, PythonVersion(version.0, version.1))?;
    Some(((removed.removed_in.0, removed.removed_in.1), removed.back))
}

/// Names that are near to one that nobody knows.
pub fn near(name: &str) -> Vec<String> {
    actum_packages::near_misses(name).into_iter().map(str::to_owned).collect()
}

/// A bound that keeps a package at releases that still have a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound {
    pub package: String,
    pub below: String,
    /// When the first release without it came out: `2024-06-16`.
    pub released: String,
    pub because: String,
}

impl Bound {
    /// Whether releases below it are young enough for an interpreter: those of before its time have nothing built for it.
    pub fn is_in_the_time_of(&self, interpreter: (u8, u8)) -> bool {
        let version = Version::from(interpreter);
        era::began(version).is_none_or(|began| Day::read(&self.released).is_none_or(|day| day > began))
    }
}

impl From<actum_packages::Bound> for Bound {
    fn from(bound: actum_packages::Bound) -> Self {
        let [package, below, released] = [bound.package, bound.below, bound.released].map(str::to_owned);
        // A method of something whose kind is not known is written with a question mark in the tables.
        Self { package, below, released, because: bound.because.replace("?.", ".") }
    }
}

/// What the names that a program uses say about releases, before anything ran.
pub(crate) fn removals(names: &[NameUse]) -> Vec<Bound> {
    actum_packages::removals(names).into_iter().map(Bound::from).collect()
}

/// The release that dropped a name of a module, or a module.
pub fn removal_of(module: &str, name: &str) -> Option<Bound> {
    actum_packages::removal_of(module, name).map(Bound::from)
}

/// Data that libraries would fetch while a program runs, and that a package carries: `nltk:stopwords`.
pub(crate) fn data_for(names: &[NameUse]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut want = |resource: &str| {
        let name = format!("nltk:{resource}");
        if !found.contains(&name) && !carriers("nltk", resource).is_empty() {
            found.push(name);
        }
    };
    for one in names {
        let downloaded = one.name.strip_prefix("nltk.download(\"").and_then(|rest| rest.strip_suffix("\")"));
        downloaded.into_iter().for_each(&mut want);
        let used =
            |(name, _): &&(&str, &[&str])| one.name == *name || one.name.starts_with(&format!("{name}."));
        USED.iter().filter(used).flat_map(|(_, resources)| *resources).copied().for_each(&mut want);
    }
    found
}

/// Functions of NLTK that look for data, and what they look for.
const USED: [(&str, &[&str]); 9] = [
    ("nltk.corpus.stopwords", &["stopwords"]),
    ("nltk.word_tokenize", &["punkt_tab"]),
    ("nltk.tokenize.word_tokenize", &["punkt_tab"]),
    ("nltk.sent_tokenize", &["punkt_tab"]),
    ("nltk.tokenize.sent_tokenize", &["punkt_tab"]),
    ("nltk.pos_tag", &["averaged_perceptron_tagger_eng"]),
    ("nltk.tag.pos_tag", &["averaged_perceptron_tagger_eng"]),
    ("nltk.corpus.cmudict", &["cmudict"]),
    ("nltk.corpus.wordnet", &["wordnet"]),
];

/// The packages that carry some data, as far as they can be fetched here: whole files and folders of Python's index.
pub fn carriers(kind: &str, resource: &str) -> Vec<Carrier> {
    let all = actum_packages::data_carrier(kind, resource);
    let is_plain = |one: &Carried| one.registry == Registry::Python && one.within_zip.is_none();
    let is_alone = |one: &Carried| all.iter().filter(|other| other.target == one.target).count() == 1;
    if !all.iter().all(|one| is_plain(one) && is_alone(one)) {
        return Vec::new();
    }
    let carrier = |one: &Carried| Carrier {
        package: one.package.to_owned(),
        path: one.inside.trim_end_matches('/').to_owned(),
        target: format!("{kind}_data/{}", one.target.trim_end_matches('/')),
    };
    all.iter().map(carrier).collect()
}

/// The last version of Python whose library has one of these names.
pub fn last_python_with(names: &[String]) -> Option<(u8, u8)> {
    let removed = names.iter().find_map(|name| actum_packages::removed_standard_name(name))?;
    Some((removed.0, removed.1.saturating_sub(1)))
}

/// The package of npm that an import means; none for what Node brings itself and for files.
pub fn npm_package(import: &str) -> Option<String> {
    match actum_packages::npm_need(import) {
        NpmNeed::Package(name) => Some(name.to_owned()),
        NpmNeed::Builtin | NpmNeed::Own => None,
    }
}

/// Whether a package of npm is installed unasked.
pub fn is_known_npm(name: &str) -> bool {
    actum_packages::judge_npm(name, None, &Rules::default()) == Verdict::Trusted
}
