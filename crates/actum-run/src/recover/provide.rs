//! Has an environment prepared for a wish. The hands of a remedy that touches packages, releases or the interpreter.

use crate::request::{House, Request};
use crate::versions::Versions;
use actum_languages::Installed;
use actum_model::EnvironmentPlan;
use actum_prepare::needs::Preparing;
use actum_prepare::packages;
use actum_prepare::{
    self, Builds, Interpreter, Kit, Newest, NodeProject, OwnPython, PrepareError, Prepared, Stage, Trouble,
    Wanted, WantedNode,
};
use actum_prepare::{Of, Wish};
use actum_sandbox::{ToolPlaces, TrustedTool};
use rustix::fd::BorrowedFd;
use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The interpreter that a program gets inside its sandbox.
pub(crate) enum ProgramPython {
    Trusted(Interpreter),
    /// One that a project, or somebody else, could have written.
    Own(OwnPython),
}

impl ProgramPython {
    pub(crate) fn path(&self) -> &Path {
        match self {
            Self::Trusted(interpreter) => interpreter.path(),
            Self::Own(own) => &own.path,
        }
    }

    pub(crate) fn version(&self) -> Option<(u8, u8)> {
        match self {
            Self::Trusted(interpreter) => Some(pair(interpreter)),
            Self::Own(own) => own.version,
        }
    }

    /// As it is shown.
    pub(crate) fn version_text(&self) -> Option<String> {
        match self {
            Self::Trusted(interpreter) => Some(interpreter.version.to_string()),
            Self::Own(own) => own.version.map(|(major, minor)| format!("{major}.{minor}")),
        }
    }

    pub(crate) fn has_module(&self, module: &str) -> bool {
        match self {
            Self::Trusted(interpreter) => interpreter.has_module(module),
            Self::Own(own) => own.has_module(module),
        }
    }
}

/// What environments are prepared with, for one run.
pub(crate) struct Providing<'a> {
    pub(crate) house: &'a House<'a>,
    pub(crate) request: &'a Request,
    pub(crate) cancel: Option<BorrowedFd<'a>>,
    /// Which programs may be used as tools.
    places: OnceCell<ToolPlaces>,
    uv: OnceCell<Vec<TrustedTool>>,
    /// What `python3` leads to for a program.
    programs: OnceCell<Option<ProgramPython>>,
    /// The interpreter that environments are made with.
    default: OnceCell<Option<Interpreter>>,
    /// All of this machine, newest first.
    all: OnceCell<Vec<Interpreter>>,
}

impl<'a> Providing<'a> {
    pub(crate) fn new(house: &'a House<'a>, request: &'a Request, cancel: Option<BorrowedFd<'a>>) -> Self {
        Self {
            house,
            request,
            cancel,
            places: OnceCell::new(),
            uv: OnceCell::new(),
            programs: OnceCell::new(),
            default: OnceCell::new(),
            all: OnceCell::new(),
        }
    }

    pub(crate) fn kit(&self) -> Kit<'_> {
        self.kit_with(self.uv())
    }

    /// To ask interpreters what they are. That needs no `uv`, and looking for one lists every folder of `PATH`.
    fn kit_to_ask(&self) -> Kit<'_> {
        self.kit_with(&[])
    }

    fn kit_with<'k>(&'k self, uv: &'k [TrustedTool]) -> Kit<'k> {
        Kit {
            sandboxes: self.house.sandboxes,
            attempt: &self.request.attempt,
            cache: self.house.cache,
            packages: &self.house.tools.packages,
            uv,
            places: self.places(),
            judge: &self.request.packages,
            cancel: self.cancel,
        }
    }

    fn places(&self) -> &ToolPlaces {
        self.places.get_or_init(|| self.request.attempt.tool_places(self.house.cache))
    }

    fn uv(&self) -> &[TrustedTool] {
        let trusted = |path: &PathBuf| self.places().tool(path).ok();
        self.uv.get_or_init(|| self.house.tools.candidates.uv().iter().filter_map(trusted).collect())
    }

    /// What a Python program gets inside its sandbox when nothing is prepared: it may be the project's own. What is known about
    /// it decides which packages are missing, and nothing else.
    pub(crate) fn program_python(&self) -> Option<&ProgramPython> {
        let found = self.programs.get_or_init(|| {
            let versions = Versions { house: self.house, attempt: &self.request.attempt };
            let path = versions.find("python3").or_else(|| versions.find("python"))?;
            match actum_prepare::ask(&self.kit_to_ask(), &path).ok().flatten() {
                Some(trusted) => Some(ProgramPython::Trusted(trusted)),
                None => {
                    self.places().tool(&path).is_err().then(|| ProgramPython::Own(OwnPython::look(&path)))
                }
            }
        });
        found.as_ref()
    }

    /// The interpreter that environments are made with when nothing else is said: the program's own where that is trusted,
    /// else one of its version that is, else the first on `PATH`.
    pub(crate) fn default(&self) -> Option<&Interpreter> {
        self.default
            .get_or_init(|| match self.program_python()? {
                ProgramPython::Trusted(interpreter) => Some(interpreter.clone()),
                ProgramPython::Own(own) => {
                    let trusted = self.trusted();
                    let same = trusted.iter().find(|one| Some(pair(one)) == own.version);
                    same.or(trusted.first()).cloned()
                }
            })
            .as_ref()
    }

    /// Every interpreter of this machine that is trusted, those on `PATH` first.
    fn trusted(&self) -> Vec<Interpreter> {
        actum_prepare::interpreters(&self.kit_to_ask(), self.house.tools.candidates.pythons())
            .unwrap_or_default()
    }

    /// Everything that this machine has, newest first.
    pub(crate) fn all(&self) -> &[Interpreter] {
        self.all.get_or_init(|| {
            let mut found = self.trusted();
            let is_new = |one: &&Interpreter| !found.iter().any(|other| other.path() == one.path());
            let default = self.default().filter(is_new).cloned();
            found.extend(default);
            found.sort_by_key(|one| std::cmp::Reverse(one.version));
            found.dedup_by(|one, other| one.path() == other.path());
            found
        })
    }

    /// Versions of Python that are on this machine, newest first.
    pub(crate) fn versions(&self) -> Vec<(u8, u8)> {
        let mut all: Vec<(u8, u8)> = self.all().iter().map(pair).collect();
        all.dedup();
        all
    }

    fn interpreter(&self, wish: &Wish) -> Result<Interpreter, PrepareError> {
        let missing = || match (wish.interpreter, self.program_python()) {
            (None, Some(ProgramPython::Own(own))) => {
                PrepareError::untrusted("python3", self.places().tool(&own.path).err())
            }
            _ => PrepareError::Interpreter { path: PathBuf::from(named(wish.interpreter)) },
        };
        match wish.interpreter {
            None => self.default().cloned().ok_or_else(missing),
            Some(version) => {
                let of_default = self.default().filter(|one| pair(one) == version);
                let found = of_default.or_else(|| self.all().iter().find(|one| pair(one) == version));
                found.cloned().ok_or_else(missing)
            }
        }
    }

    /// The environment that a wish describes; none where it wishes for nothing.
    pub(crate) fn provide(
        &self,
        wish: &Wish,
        plan: &EnvironmentPlan,
        declared: Option<&Path>,
        tell: &mut dyn FnMut(Stage),
    ) -> Result<Option<Arc<Prepared>>, PrepareError> {
        let is_declared = matches!(plan, EnvironmentPlan::Declared { .. });
        if wish.is_empty() && !is_declared {
            return Ok(None);
        }
        if wish.of == Of::Node {
            return self.provide_node(wish, declared.filter(|_| is_declared), tell).map(Some);
        }
        let rules = &self.request.packages;
        let mut wanted = match declared.filter(|_| is_declared) {
            Some(file) => self.declared(file, wish)?,
            None => Wanted::new(self.interpreter(wish)?, Vec::new()),
        };
        wanted.requirements.extend(wish.requirements.iter().cloned());
        wanted.constraints.extend(wish.constraints.iter().cloned());
        wanted.newest = match &wish.newest {
            Some(day) => Newest::At(day.clone()),
            None if wish.guessed && rules.cooldown_days > 0 => Newest::OlderThan(rules.cooldown_days),
            None => wanted.newest,
        };
        wanted.builds = if rules.builds { Builds::Confined } else { Builds::Refused };
        let carriers = wish.data.iter().filter_map(|name| name.split_once(':'));
        wanted.data.extend(carriers.flat_map(|(kind, resource)| packages::carriers(kind, resource)));
        let prepared = actum_prepare::prepare(&wanted, &self.kit(), tell);
        let prepared = prepared.and_then(|prepared| holds_digests(&wanted, prepared));
        match prepared {
            // An index that does not say when something was published cannot be asked for what is old enough.
            Err(error) if error.trouble() == Some(Trouble::Undated) && wish.newest.is_none() => {
                wanted.newest = Newest::Any;
                actum_prepare::prepare(&wanted, &self.kit(), tell)
            }
            prepared => prepared,
        }
        .map(|prepared| Some(Arc::new(prepared)))
    }

    fn provide_node(
        &self,
        wish: &Wish,
        declared: Option<&Path>,
        tell: &mut dyn FnMut(Stage),
    ) -> Result<Arc<Prepared>, PrepareError> {
        let find = |name: &str| {
            self.places().find(name, self.kit().path()).map_err(|refused| match refused {
                Some(refused) => PrepareError::untrusted(name, Some(refused)),
                None => PrepareError::Unsupported {
                    what: "Node packages".to_owned(),
                    why: format!("{name} is not installed"),
                    command: "install nodejs and npm".to_owned(),
                },
            })
        };
        let text = |path: &Path| actum_prepare::declared::text(path, &self.request.attempt.workspace);
        let project = match declared {
            Some(file) => {
                let lock = file.with_file_name("package-lock.json");
                let lock = lock.is_file().then(|| text(&lock)).transpose()?;
                Some(NodeProject { package: text(file)?, lock })
            }
            None => None,
        };
        let wanted = WantedNode {
            node: find("node")?,
            npm: find("npm")?,
            packages: wish.requirements.clone(),
            at: wish.newest.clone(),
            project,
        };
        actum_prepare::prepare_node(&wanted, &self.kit(), tell).map(Arc::new)
    }

    /// What a project's own files ask for: exactly that, with an interpreter that they allow.
    fn declared(&self, file: &Path, wish: &Wish) -> Result<Wanted, PrepareError> {
        let workspace = &self.request.attempt.workspace;
        let folder = file.parent().unwrap_or(workspace);
        let Some(found) = actum_prepare::declared::read(folder, workspace)? else {
            return Ok(Wanted::new(self.interpreter(wish)?, Vec::new()));
        };
        for requirement in &found.requirements {
            self.vouch_for(requirement)?;
        }
        if let Some(lock) = &found.lock {
            for name in &lock.names {
                self.vouch_for(name)?;
            }
        }
        let default = self.interpreter(wish)?;
        let fits = |range: &String| {
            let among = [std::slice::from_ref(&default), self.all()].concat();
            actum_prepare::choose(&among, range, Some(default.path())).cloned()
        };
        let interpreter = match found.python.as_ref().filter(|_| wish.interpreter.is_none()) {
            Some(range) => fits(range).ok_or_else(|| PrepareError::Interpreter { path: range.into() })?,
            None => default,
        };
        let wanted = Wanted::new(interpreter, found.requirements);
        Ok(Wanted { constraints: found.constraints, lock: found.lock, ..wanted })
    }

    /// What is declared is taken at its word, but for what is denied, and for a name that nobody knows and that looks like one
    /// that everybody does.
    fn vouch_for(&self, requirement: &str) -> Result<(), PrepareError> {
        let (name, rules) = (actum_prepare::bare(requirement), &self.request.packages);
        let refused = |why, nearest| Err(PrepareError::Refused { name: name.clone(), why, nearest });
        if rules.is_denied(&name) {
            return refused("your configuration denies it", Vec::new());
        }
        let near = if packages::is_known(&name) || rules.is_allowed(&name) {
            Vec::new()
        } else {
            packages::near(&name)
        };
        match near.is_empty() {
            true => Ok(()),
            false => refused("it is unknown and its name resembles a popular package", near),
        }
    }

    pub(crate) fn is_off(&self) -> bool {
        self.request.packages.preparing == Preparing::Never
    }
}

/// Digests that a project's file names are those of what was installed.
fn holds_digests(wanted: &Wanted, prepared: Prepared) -> Result<Prepared, PrepareError> {
    let mut pinned = wanted.requirements.iter().filter(|line| line.contains("--hash=")).peekable();
    if pinned.peek().is_none() {
        return Ok(prepared);
    }
    let lock = prepared.lock_text().unwrap_or_default().replace("\\\n", " ");
    for line in pinned {
        let name = actum_prepare::bare(line);
        let locked = lock.lines().find(|text| actum_prepare::bare(text) == name).unwrap_or_default();
        let mut digests = line.split_whitespace().filter(|word| word.starts_with("--hash="));
        if !digests.any(|word| locked.contains(word)) {
            return Err(PrepareError::Tool {
                doing: "resolve the packages",
                trouble: Trouble::Mismatch,
                names: vec![name],
                said: String::new(),
            });
        }
    }
    Ok(prepared)
}

/// As two numbers.
pub(crate) fn pair(interpreter: &Interpreter) -> (u8, u8) {
    let part = |number: u32| u8::try_from(number).unwrap_or(u8::MAX);
    (part(interpreter.version.major), part(interpreter.version.minor))
}

fn named(version: Option<(u8, u8)>) -> String {
    version.map_or_else(|| "python3".to_owned(), |(major, minor)| format!("python{major}.{minor}"))
}
