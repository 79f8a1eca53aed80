//! What an index can offer: packages, their releases, and what is wrong with them.

/// A package with its releases, in any order.
#[derive(Debug, Clone)]
pub struct Package {
    pub name: String,
    pub releases: Vec<Release>,
}

impl Package {
    /// A package that exists and has no releases yet.
    pub fn new(name: &str) -> Package {
        Package { name: name.to_owned(), releases: Vec::new() }
    }

    /// One release with one module, which is most of what tests need.
    pub fn single(name: &str, version: &str, path: &str, text: &str) -> Package {
        Package::new(name).with(Release::new(version).module(path, text))
    }

    pub fn with(mut self, release: Release) -> Package {
        self.releases.push(release);
        self
    }
}

/// One release. As it is made it is a wheel for every platform, uploaded on the first day of 2020, with nothing in it.
#[derive(Debug, Clone)]
pub struct Release {
    pub version: String,
    pub uploaded: String,
    pub requires: Vec<String>,
    pub requires_python: Option<String>,
    /// Path inside the wheel, and text. For Node: path inside the package.
    pub modules: Vec<(String, String)>,
    pub forms: Vec<Form>,
    pub yanked: Option<String>,
    pub damage: Damage,
    /// What the builder of the source distribution does before it builds.
    pub on_build: String,
}

/// One file of a release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Form {
    /// With its tag: `py3-none-any`, or that of a platform.
    Wheel(String),
    /// Built by a builder that it brings along, so that building needs no other package.
    Source,
}

/// How a file differs from what the index says of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Damage {
    None,
    /// The digest on the page is that of other bytes.
    WrongDigest,
    /// Digest and length are those of the file, and the file is no archive.
    NotAnArchive,
    /// The page names a file that is not there.
    Missing,
    /// The connection ends in the middle of the file.
    CutOff,
}

impl Release {
    pub fn new(version: &str) -> Release {
        Release {
            version: version.to_owned(),
            uploaded: "2020-01-01T00:00:00Z".to_owned(),
            requires: Vec::new(),
            requires_python: None,
            modules: Vec::new(),
            forms: vec![Form::Wheel("py3-none-any".to_owned())],
            yanked: None,
            damage: Damage::None,
            on_build: String::new(),
        }
    }

    /// A file in it: `gadget.py`, `gadget/__init__.py`.
    pub fn module(mut self, path: &str, text: &str) -> Release {
        self.modules.push((path.to_owned(), text.to_owned()));
        self
    }

    /// When it was uploaded, as RFC 3339 in UTC.
    pub fn uploaded(mut self, moment: &str) -> Release {
        moment.clone_into(&mut self.uploaded);
        self
    }

    /// What it needs, as a requirement: `gizmo>=2`.
    pub fn requires(mut self, requirement: &str) -> Release {
        self.requires.push(requirement.to_owned());
        self
    }

    pub fn requires_python(mut self, range: &str) -> Release {
        self.requires_python = Some(range.to_owned());
        self
    }

    /// Taken back, with the reason.
    pub fn yanked(mut self, reason: &str) -> Release {
        self.yanked = Some(reason.to_owned());
        self
    }

    /// No wheel, so that whoever wants it has to build it.
    pub fn only_source(mut self) -> Release {
        self.forms = vec![Form::Source];
        self
    }

    /// A source distribution beside the wheel.
    pub fn also_source(mut self) -> Release {
        self.forms.push(Form::Source);
        self
    }

    /// One wheel, for another platform or interpreter: `cp311-cp311-win_amd64`.
    pub fn only_wheel_for(mut self, tag: &str) -> Release {
        self.forms = vec![Form::Wheel(tag.to_owned())];
        self
    }

    pub fn damaged(mut self, damage: Damage) -> Release {
        self.damage = damage;
        self
    }

    /// Python that runs when the source distribution is built.
    pub fn on_build(mut self, text: &str) -> Release {
        text.clone_into(&mut self.on_build);
        self
    }
}

/// The name by which an index knows a package, whatever a person wrote (PEP 503).
pub(super) fn normalised(name: &str) -> String {
    let mut normal = String::with_capacity(name.len());
    for character in name.chars() {
        match character {
            '-' | '_' | '.' if normal.ends_with('-') => {}
            '-' | '_' | '.' => normal.push('-'),
            other => normal.push(other.to_ascii_lowercase()),
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_a_person_would_call_equal_are() {
        for written in ["Friendly-Bard", "friendly_bard", "FRIENDLY.-_bard"] {
            assert_eq!(normalised(written), "friendly-bard");
        }
    }
}
