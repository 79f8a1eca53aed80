//! Environments of Node, by npm: resolved to a lock, installed from it, and no script of a package runs.
//!
//! A program stays where it is, so it does not find packages by the folders above it. `require` looks where `NODE_PATH` says;
//! `import` does not, so a few lines of ours answer for names that nobody else knows. What the program's own project has
//! installed is found first.

use super::cache::{Cache, LOCK, Manifest, Site, boot, make, write};
use super::confined::{Program, Reachable, Task, carry_out, succeed};
use super::error::PrepareError;
use super::once::{Found, Lasts, Wish, judge, keyed, once};
use super::wanted::{Kit, Locked, Packages, Prepared, Reach, Registry, Stage};
use super::{cache, index};
use crate::clock;
use actum_model::{Digest, IdentityHash, Span};
use actum_packages::npm_files;
use actum_sandbox::{SYSTEM_FOLDERS, TrustedTool};
use serde::Serialize;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// One environment of Node, as it is wanted.
#[derive(Debug, Clone)]
pub struct WantedNode {
    pub node: TrustedTool,
    pub npm: TrustedTool,
    /// Packages with their versions, as in `lodash` and `@scope/name@^2`.
    pub packages: Vec<String>,
    /// Releases that were there at this date, as in `2024-06-18`.
    pub at: Option<String>,
    pub project: Option<NodeProject>,
}

/// What `package.json` and the lock beside it say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NodeProject {
    pub package: String,
    pub lock: Option<String>,
}

const RESOLVING: Span = Span::seconds(300);
const INSTALLING: Span = Span::seconds(900);
/// What an environment says about itself: no name that a program could import, no exports.
const NEUTRAL: &str = "{\"private\":true}\n";
const ASKING: Span = Span::seconds(20);
/// Answers for packages that a program's own folders do not have.
const LAUNCH: &str = include_str!("launch.mjs");
const RESOLVE: &str = include_str!("resolve.mjs");

/// Prepares an environment of Node, or finds it.
pub fn prepare_node(
    wanted: &WantedNode,
    kit: &Kit<'_>,
    tell: &mut dyn FnMut(Stage),
) -> Result<Prepared, PrepareError> {
    let cache = Cache::open(kit.cache)?;
    let is_locked =
        wanted.at.is_some() || wanted.project.as_ref().is_some_and(|project| project.lock.is_some());
    let lasts = if is_locked { Lasts::ForEver } else { Lasts::ForAWhile };
    let wish = Wish { digest: wish(wanted, kit), lasts, registry: Registry::Node };
    once(kit, &cache, &wish, &mut |tell| carry(wanted, kit, &cache, tell), tell)
}

/// What one preparation goes by.
struct Work<'w> {
    kit: &'w Kit<'w>,
    cache: &'w Cache,
    wanted: &'w WantedNode,
    registry: Option<String>,
    reachable: Reachable,
    site: Site,
    nowhere: PathBuf,
}

fn carry(
    wanted: &WantedNode,
    kit: &Kit<'_>,
    cache: &Cache,
    tell: &mut dyn FnMut(Stage),
) -> Result<Found, PrepareError> {
    tell(Stage::Finding { tool: "npm" });
    let registry = registry(kit, cache, wanted)?;
    let reachable = index::hosts_of(registry.iter())?;
    let work =
        Work { kit, cache, wanted, registry, reachable, site: cache.site()?, nowhere: cache.nowhere() };
    make(&npm_cache(cache))?;
    let made = work.site.folder.join("made");
    fs::create_dir(&made).map_err(PrepareError::io("create", &made))?;
    fs::set_permissions(&made, fs::Permissions::from_mode(0o755))
        .map_err(PrepareError::io("create", &made))?;
    tell(Stage::Resolving { requirements: wanted.packages.len() });
    let lock = resolve(&work, &made)?;
    judge(kit, Registry::Node, &locked(&lock))?;
    let key = key(&lock, wanted, kit);
    keyed(kit, cache, &key, &mut |tell| build(&work, &made, (key, &lock), tell), tell)
}

/// Writes `package.json`, and has npm write the lock where the project brings none.
fn resolve(work: &Work<'_>, made: &Path) -> Result<String, PrepareError> {
    let package = package(work.wanted)?;
    write(&made.join("package.json"), package.to_string().as_bytes())?;
    let lock = made.join("package-lock.json");
    if let Some(own) = work.wanted.project.as_ref().and_then(|project| project.lock.as_ref()) {
        // One of the first version has no list of packages: then the versions are resolved anew.
        if let Some(own) = npm_files::checked(own, &package)? {
            write(&lock, own.as_bytes())?;
            return Ok(own);
        }
    }
    let mut arguments = vec!["install".to_owned(), "--package-lock-only".to_owned()];
    arguments.extend(work.wanted.at.iter().map(|date| format!("--before={date}")));
    succeed(work.kit, &work.npm("resolve the packages", made, &arguments, RESOLVING))?;
    let text = fs::read_to_string(&lock).map_err(PrepareError::io("read", &lock))?;
    let checked = npm_files::checked(&text, &package)?;
    let checked = checked.ok_or_else(|| npm_files::odd("", "it is not an npm lock file"))?;
    write(&lock, checked.as_bytes())?;
    Ok(checked)
}

/// What is asked for, by the project and by the program: names and ranges, and nothing else of the project's file.
fn package(wanted: &WantedNode) -> Result<Value, PrepareError> {
    let mut package = json!({ "name": "environment", "private": true });
    if let Some(project) = &wanted.project {
        let theirs: Value =
            serde_json::from_str(&project.package).map_err(|_| npm_files::odd("", "it is not JSON"))?;
        let theirs = theirs.as_object().ok_or_else(|| npm_files::odd("", "it is not an object"))?;
        npm_files::copy_ranges(theirs, &mut package)?;
    }
    for wish in &wanted.packages {
        let (name, version) = split(wish).ok_or_else(|| npm_files::odd(wish, "it is not a package name"))?;
        if package["dependencies"][name].is_null() && package["devDependencies"][name].is_null() {
            package["dependencies"][name] = json!(version);
        }
    }
    for part in ["dependencies", "devDependencies"] {
        if package[part].is_null() {
            package.as_object_mut().and_then(|object| object.remove(part));
        }
    }
    Ok(package)
}

/// `@scope/name@version` in two.
fn split(wish: &str) -> Option<(&str, &str)> {
    let at = wish.get(1..)?.find('@').map(|at| at + 1);
    let (name, version) = match at {
        Some(at) => (&wish[..at], &wish[at + 1..]),
        None => (wish, "*"),
    };
    (npm_files::is_name(name) && npm_files::is_range(version)).then_some((name, version))
}

fn build(
    work: &Work<'_>,
    made: &Path,
    (key, lock): (Digest, &str),
    tell: &mut dyn FnMut(Stage),
) -> Result<(Manifest, cache::InUse), PrepareError> {
    let packages = locked(lock);
    tell(Stage::Installing { packages: packages.len() });
    if !packages.is_empty() {
        succeed(work.kit, &work.npm("install the packages", made, &["ci".to_owned()], INSTALLING))?;
    }
    make(&made.join("node_modules"))?;
    // Programs of other projects with the same lock find it above their packages: it says nothing of this project.
    write(&made.join("package.json"), NEUTRAL.as_bytes())?;
    let open = fs::Permissions::from_mode(0o755);
    fs::set_permissions(made.join("node_modules"), open).map_err(PrepareError::io("create", made))?;
    write(&made.join("launch.mjs"), LAUNCH.as_bytes())?;
    write(&made.join("resolve.mjs"), RESOLVE.as_bytes())?;
    write(&made.join(LOCK), lock.as_bytes())?;
    let manifest = Manifest {
        v: 1,
        key,
        made: clock::moment(),
        tool: format!("npm {}", version(work)?),
        interpreter: work.wanted.node.path().to_path_buf(),
        version: String::new(),
        lock: Digest::of(lock.as_bytes()),
        packages,
        notes: Vec::new(),
        program: work.wanted.node.path().to_path_buf(),
        path: vec!["node_modules/.bin".into()],
        variables: vec![
            ("NODE_PATH".to_owned(), "{}/node_modules".to_owned()),
            ("NODE_OPTIONS".to_owned(), "--import file://{}/launch.mjs".to_owned()),
        ],
        boot: boot(),
    };
    work.cache.keep(made, &manifest)
}

impl Work<'_> {
    /// No script of a package, no word to anybody but the registry, nothing of the user's settings.
    fn npm(&self, doing: &'static str, made: &Path, arguments: &[String], wall: Span) -> Task<'_> {
        let (program, mut words) = self.wanted.npm();
        words.extend(arguments.iter().map(OsString::from));
        let options = [
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            "--no-update-notifier",
            "--no-progress",
            "--loglevel=error",
        ];
        words.extend(options.map(OsString::from));
        words.extend([OsString::from("--prefix"), made.into(), "--globalconfig=/dev/null".into()]);
        if self.kit.packages.reach == Reach::Offline {
            words.push("--offline".into());
        }
        let mut variables = index::client_variables(self.kit);
        variables.push(("npm_config_cache".into(), npm_cache(self.cache).into()));
        // Locks behind different mirrors are the same.
        variables.push(("npm_config_omit_lockfile_registry_resolved".into(), "true".into()));
        variables.extend(self.registry.iter().map(|url| ("npm_config_registry".into(), url.into())));
        Task {
            doing,
            program,
            arguments: words,
            folder: &self.nowhere,
            reads: index::certificates(self.kit).into_iter().chain(self.wanted.packages_of_npm()).collect(),
            writes: vec![npm_cache(self.cache), self.site.folder.clone()],
            variables,
            hosts: (!self.reachable.rules.is_empty()).then_some(&self.reachable),
            wall,
        }
    }
}

fn npm_cache(cache: &Cache) -> PathBuf {
    cache.workshop().join("npm")
}

/// The registry: as the user says, as the variables or settings say, else as npm says by itself.
fn registry(kit: &Kit<'_>, cache: &Cache, wanted: &WantedNode) -> Result<Option<String>, PrepareError> {
    if kit.packages.reach == Reach::Offline {
        return Ok(None);
    }
    if let Some(url) = named_registry(kit) {
        return Ok(Some(url));
    }
    let fact = format!("npm-{}", Digest::of(stamp(&wanted.npm).as_bytes()));
    if let Some(known) = cache.known(&fact) {
        return Ok(known);
    }
    let said = ask(kit, cache, wanted, &["config", "get", "registry"])?;
    let url = said.and_then(|text| index::default_in(&text));
    if url.is_some() {
        cache.note(&fact, &url);
    }
    Ok(url)
}

/// The registry that the user, a variable or the settings name.
fn named_registry(kit: &Kit<'_>) -> Option<String> {
    let Packages { registry, settings, .. } = kit.packages;
    let is_registry = |name: &OsString| name.eq_ignore_ascii_case("npm_config_registry");
    let variable =
        || kit.attempt.variables.iter().find(|(name, _)| is_registry(name))?.1.to_str().map(str::to_owned);
    let texts = settings.iter().filter_map(|path| super::settings_text(path));
    let line = |text: String| {
        text.lines().find_map(|line| {
            Some(line.trim().strip_prefix("registry")?.trim_start().strip_prefix('=')?.trim().to_owned())
        })
    };
    registry.clone().or_else(variable).or_else(|| texts.filter_map(line).next())
}

/// As part of an identity: what one registry gave is not what another one would have given.
fn registry_part(kit: &Kit<'_>) -> String {
    named_registry(kit).map(|url| index::without_password(&url)).unwrap_or_default()
}

fn version(work: &Work<'_>) -> Result<String, PrepareError> {
    let said = ask(work.kit, work.cache, work.wanted, &["--version"])?;
    Ok(said.map(|text| text.trim().to_owned()).unwrap_or_default())
}

fn ask(
    kit: &Kit<'_>,
    cache: &Cache,
    wanted: &WantedNode,
    words: &[&str],
) -> Result<Option<String>, PrepareError> {
    let (program, mut arguments) = wanted.npm();
    arguments.extend(words.iter().map(OsString::from));
    let task = Task {
        doing: "query npm",
        program,
        arguments,
        folder: &cache.nowhere(),
        reads: wanted.packages_of_npm().into_iter().collect(),
        writes: Vec::new(),
        variables: Vec::new(),
        hosts: None,
        wall: ASKING,
    };
    let said = carry_out(kit, &task)?;
    Ok(said.is_success().then(|| said.text()))
}

/// The packages of a lock that are installed here.
fn locked(lock: &str) -> Vec<Locked> {
    npm_files::packages(lock).into_iter().map(|(name, version)| Locked { name, version }).collect()
}

fn wish(wanted: &WantedNode, kit: &Kit<'_>) -> Digest {
    let mut hash = IdentityHash::new("actum wish node 3");
    let mut packages: Vec<&str> = wanted.packages.iter().map(String::as_str).collect();
    packages.sort_unstable();
    packages.dedup();
    hash.bytes(packages.join("\n").as_bytes());
    hash.value(&(&wanted.at, &wanted.project));
    hash.bytes(registry_part(kit).as_bytes());
    hash.bytes(stamp(&wanted.node).as_bytes());
    hash.finish()
}

fn key(lock: &str, wanted: &WantedNode, kit: &Kit<'_>) -> Digest {
    let mut hash = IdentityHash::new("actum environment node 4");
    hash.bytes(lock.as_bytes());
    hash.bytes(registry_part(kit).as_bytes());
    hash.bytes(stamp(&wanted.node).as_bytes());
    hash.bytes(std::env::consts::ARCH.as_bytes());
    hash.finish()
}

fn stamp(tool: &TrustedTool) -> String {
    super::interpreter::stamp(tool.real()).unwrap_or_default()
}

impl WantedNode {
    /// What starts npm: it is a script, and the node that runs it is ours to choose, not that of its first line.
    fn npm(&self) -> (Program<'static>, Vec<OsString>) {
        match self.npm.real().extension() {
            Some(extension) if extension == "js" => {
                (Program::Tool(self.node.clone()), vec![self.npm.real().into()])
            }
            _ => (Program::Tool(self.npm.clone()), Vec::new()),
        }
    }

    /// The packages beside npm, where the system's folders do not show them.
    fn packages_of_npm(&self) -> Option<PathBuf> {
        let is_packages = |folder: &&Path| folder.file_name().is_some_and(|name| name == "node_modules");
        let packages = self.npm.real().ancestors().filter(is_packages).last()?;
        let is_system = SYSTEM_FOLDERS.iter().any(|system| packages.starts_with(system));
        (!is_system).then(|| packages.to_path_buf())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_versions_are_told_apart() {
        for (wish, told) in [
            ("lodash", Some(("lodash", "*"))),
            ("lodash@^4", Some(("lodash", "^4"))),
            ("@scope/name", Some(("@scope/name", "*"))),
            ("@scope/name@1.x", Some(("@scope/name", "1.x"))),
            ("../x", None),
            ("x@file:../y", None),
            ("x@git+https://a.example", None),
            ("@scope", None),
            ("", None),
        ] {
            assert_eq!(split(wish), told, "{wish}");
        }
    }

    #[test]
    fn a_project_keeps_its_versions_and_nothing_comes_from_elsewhere() {
        let wanted = |text: &str| WantedNode {
            node: actum_sandbox::ToolPlaces::default().tool(Path::new("/bin/sh")).unwrap(),
            npm: actum_sandbox::ToolPlaces::default().tool(Path::new("/bin/sh")).unwrap(),
            packages: vec!["lodash".to_owned(), "extra@2".to_owned()],
            at: None,
            project: Some(NodeProject { package: text.to_owned(), lock: None }),
        };
        let made = package(&wanted(r#"{"name":"lodash","exports":"./x.js","main":"x","workspaces":["a"],"scripts":{"install":"x"},"dependencies":{"lodash":"^3"}}"#)).unwrap();
        assert_eq!(
            made,
            json!({ "name": "environment", "private": true, "dependencies": { "lodash": "^3", "extra": "2" } })
        );
        for text in [
            "[",
            "[]",
            r#"{"dependencies":{"x":"git+https://a.example/x"}}"#,
            r#"{"devDependencies":{"x":"file:.."}}"#,
            r#"{"dependencies":{"x":"user/repository"}}"#,
            r#"{"peerDependencies":{"x":"git+https://a.example/x"}}"#,
            r#"{"optionalDependencies":{"x":"file:.."}}"#,
            r#"{"overrides":{"x":"https://a.example/x.tgz"}}"#,
            r#"{"overrides":{"y":{"x":"https://a.example/x.tgz"}}}"#,
            r#"{"dependencies":{"x":"npm:y@file:.."}}"#,
            r#"{"dependencies":{"x":"1\n2"}}"#,
            r#"{"dependencies":{"x":5}}"#,
            r#"{"dependencies":{"../x":"1"}}"#,
        ] {
            assert!(package(&wanted(text)).is_err(), "{text}");
        }
    }
}
