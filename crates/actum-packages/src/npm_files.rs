//! What npm reads, built from parsed values: `package.json` with names and ranges, `package-lock.json` with names and versions.
//!
//! An address in either is refused, or dropped where the registry has the same release. Pure. Start at [`checked`].

use serde_json::{Map, Value, json};

/// The lists of a package that name others.
const LISTS: [&str; 4] = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];
/// What else is kept of an entry: how it is placed, and where it can be used.
const FLAGS: [&str; 6] = ["dev", "optional", "devOptional", "peer", "inBundle", "hasInstallScript"];
const WORDS: [&str; 3] = ["os", "cpu", "libc"];
const ADDRESS: &str = "it is a URL; only packages from the registry are supported";
/// Overrides lie in each other.
const DEEPEST: usize = 8;

/// A part of `package.json` or its lock that is not handed to npm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OddNpmFile {
    pub part: String,
    pub why: &'static str,
}

pub fn odd(part: &str, why: &'static str) -> OddNpmFile {
    OddNpmFile { part: part.chars().filter(|c| !c.is_control()).take(200).collect(), why }
}

/// Whether a text is the name of a package, with or without its scope.
pub fn is_name(name: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty()
            && !part.starts_with('.')
            && part != "node_modules"
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte))
    };
    match name.strip_prefix('@') {
        Some(scoped) => scoped.split_once('/').is_some_and(|(scope, name)| is_part(scope) && is_part(name)),
        None => is_part(name),
    }
}

/// Whether a text is a range of versions, a tag, or both for a package of the registry under another name.
pub fn is_range(text: &str) -> bool {
    let is_plain =
        |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b" .-+*^~<>=|_".contains(&byte));
    match text.strip_prefix("npm:") {
        Some(aliased) => {
            let at = aliased.get(1..).and_then(|rest| rest.find('@')).map(|at| at + 1);
            let (name, range) = at.map_or((aliased, "*"), |at| (&aliased[..at], &aliased[at + 1..]));
            is_name(name) && is_plain(range)
        }
        None => is_plain(text),
    }
}

/// Copies the lists of a `package.json` that name packages.
pub fn copy_ranges(theirs: &Map<String, Value>, package: &mut Value) -> Result<(), OddNpmFile> {
    for part in LISTS {
        if let Some(list) = list(theirs, part)? {
            package[part] = list;
        }
    }
    if let Some(overrides) = theirs.get("overrides").filter(|overrides| !overrides.is_null()) {
        package["overrides"] = copied_overrides(overrides, DEEPEST)?;
    }
    if let Some(meta) = optional_peers(theirs) {
        package["peerDependenciesMeta"] = meta;
    }
    Ok(())
}

fn list(theirs: &Map<String, Value>, part: &str) -> Result<Option<Value>, OddNpmFile> {
    let Some(list) = theirs.get(part).filter(|list| !list.is_null()) else { return Ok(None) };
    // Some files have an empty list in place of an empty object.
    if list.as_array().is_some_and(Vec::is_empty) {
        return Ok(None);
    }
    let list = list.as_object().ok_or_else(|| odd(part, "it is not an object"))?;
    for (name, range) in list {
        let range = range.as_str().ok_or_else(|| odd(name, "its version is not a string"))?;
        if !is_name(name) {
            return Err(odd(name, "it is not a package name"));
        }
        if !is_range(range) {
            return Err(odd(&format!("{name}: {range}"), ADDRESS));
        }
    }
    Ok(Some(Value::Object(list.clone())))
}

fn copied_overrides(value: &Value, deeper: usize) -> Result<Value, OddNpmFile> {
    let wrong = |what: &str| odd(what, ADDRESS);
    match (value, deeper.checked_sub(1)) {
        (Value::String(text), _) => {
            let is_own = text.strip_prefix('$').is_some_and(is_name);
            if is_own || is_range(text) { Ok(value.clone()) } else { Err(wrong(text)) }
        }
        (Value::Object(list), Some(deeper)) => {
            let mut copied = Map::new();
            for (key, value) in list {
                let at = key.get(1..).and_then(|rest| rest.find('@')).map(|at| at + 1);
                let (name, range) = at.map_or((key.as_str(), "*"), |at| (&key[..at], &key[at + 1..]));
                if !(key == "." || is_name(name) && is_range(range)) {
                    return Err(wrong(key));
                }
                copied.insert(key.clone(), copied_overrides(value, deeper)?);
            }
            Ok(Value::Object(copied))
        }
        _ => Err(odd("overrides", "they cannot be parsed")),
    }
}

fn optional_peers(theirs: &Map<String, Value>) -> Option<Value> {
    let meta = theirs.get("peerDependenciesMeta")?.as_object()?;
    let optional = meta.iter().filter(|(name, about)| is_name(name) && about["optional"] == true);
    Some(Value::Object(optional.map(|(name, _)| (name.clone(), json!({ "optional": true }))).collect()))
}

/// Whether everything that npm installs for a project is a package of the registry: no folder, no address, no workspace.
pub fn is_from_registry(package: &Value, lock: Option<&str>) -> bool {
    let Some(theirs) = package.as_object() else { return false };
    let mut copied = json!({});
    let is_locked = |lock| checked(lock, &json!({})).is_ok_and(|built| built.is_some());
    !theirs.contains_key("workspaces")
        && copy_ranges(theirs, &mut copied).is_ok()
        && lock.is_none_or(is_locked)
}

/// A lock, built anew: every package by its name and version, from the registry. None where it has no list of packages.
pub fn checked(lock: &str, package: &Value) -> Result<Option<String>, OddNpmFile> {
    let lock: Value = serde_json::from_str(lock).map_err(|_| odd("package-lock.json", "it is not JSON"))?;
    let Some(entries) = lock["packages"].as_object() else { return Ok(None) };
    let mut built = Map::new();
    for (path, entry) in entries {
        if path.is_empty() {
            let mut root = json!({ "name": package["name"] });
            let theirs = entry.as_object().ok_or_else(|| odd(path, "it is not an object"))?;
            copy_ranges(theirs, &mut root)?;
            root.as_object_mut().and_then(|root| root.remove("overrides"));
            built.insert(String::new(), root);
            continue;
        }
        built.insert(path.clone(), copied_entry(path, entry)?);
    }
    let lock = json!({ "name": package["name"], "lockfileVersion": 3, "requires": true, "packages": built });
    Ok(Some(lock.to_string()))
}

fn copied_entry(path: &str, entry: &Value) -> Result<Value, OddNpmFile> {
    let wrong = |why| odd(path, why);
    let theirs = entry.as_object().ok_or_else(|| wrong("it is not an object"))?;
    let text = |name: &str| theirs.get(name).and_then(Value::as_str);
    if name_at(path).is_none() || theirs.get("link").is_some_and(|link| link != false) {
        return Err(wrong("it is a path; only packages from the registry are supported"));
    }
    let is_version = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_digit())
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-+".contains(&byte))
    };
    let version = text("version").filter(|version| is_version(version));
    let version = version.ok_or_else(|| wrong("its version is not a version of the registry"))?;
    let is_fetched = |resolved: &str| resolved.starts_with("https://") || resolved.starts_with("http://");
    // The address of an archive is dropped: npm asks the registry for this version, and compares the digest.
    if theirs
        .get("resolved")
        .is_some_and(|one| one != false && one != true && !one.as_str().is_some_and(is_fetched))
    {
        return Err(wrong(ADDRESS));
    }
    let mut copied = json!({ "version": version });
    if let Some(name) = theirs.get("name") {
        let name = name.as_str().filter(|name| is_name(name));
        copied["name"] = json!(name.ok_or_else(|| wrong("it is not a package name"))?);
    }
    let is_digest =
        |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=- ".contains(&byte));
    if let Some(integrity) = text("integrity") {
        copied["integrity"] = json!(
            Some(integrity)
                .filter(|text| is_digest(text))
                .ok_or_else(|| wrong("its digest cannot be parsed"))?
        );
    }
    copy_ranges(theirs, &mut copied)?;
    copied.as_object_mut().and_then(|copied| copied.remove("overrides"));
    for flag in FLAGS.iter().filter(|flag| theirs.get(**flag).is_some_and(|value| value == true)) {
        copied[*flag] = json!(true);
    }
    for part in WORDS {
        let words =
            theirs.get(part).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        let words: Vec<&str> = words.filter(|word| is_name(word.trim_start_matches('!'))).collect();
        if !words.is_empty() {
            copied[part] = json!(words);
        }
    }
    for part in ["bundleDependencies", "bundledDependencies"] {
        let names =
            theirs.get(part).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        let names: Vec<&str> = names.filter(|name| is_name(name)).collect();
        if !names.is_empty() {
            copied["bundleDependencies"] = json!(names);
        }
    }
    let commands = theirs.get("bin").and_then(Value::as_object).into_iter().flatten();
    let is_inside = |path: &str| !path.starts_with('/') && path.split('/').all(|part| part != "..");
    let commands = commands.filter(|(name, path)| is_name(name) && path.as_str().is_some_and(is_inside));
    let commands: Map<String, Value> = commands.map(|(name, path)| (name.clone(), path.clone())).collect();
    if !commands.is_empty() {
        copied["bin"] = Value::Object(commands);
    }
    Ok(copied)
}

/// The name at the end of `node_modules/a/node_modules/@s/b`; none for another path.
fn name_at(path: &str) -> Option<&str> {
    let below = path.strip_prefix("node_modules/")?;
    below.split("/node_modules/").all(is_name).then(|| below.rsplit("/node_modules/").next())?
}

/// The packages of a lock for Linux, each with the name that the registry has for it, and its version.
pub fn packages(lock: &str) -> Vec<(String, String)> {
    let lock: Value = serde_json::from_str(lock).unwrap_or_default();
    let package = |(path, about): (&String, &Value)| {
        let name = about["name"].as_str().or_else(|| name_at(path)).filter(|_| !path.is_empty())?;
        let systems = about["os"].as_array();
        let is_ours = systems.is_none_or(|systems| {
            let is_not = |system: &Value| system.as_str().is_some_and(|system| system.starts_with('!'));
            systems.iter().any(|system| system == "linux")
                || systems.iter().all(|one| is_not(one) && one != "!linux")
        });
        Some((name.to_owned(), about["version"].as_str()?.to_owned())).filter(|_| is_ours)
    };
    lock["packages"].as_object().into_iter().flatten().filter_map(package).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_read_from_a_lock() {
        let lock = r#"{"packages":{"":{"version":"0"},"node_modules/a":{"version":"1.0"},"node_modules/a/node_modules/@s/b":{"version":"2.0"},"node_modules/c":{"name":"d","version":"3.0"},"node_modules/w":{"version":"1","os":["win32"]}}}"#;
        let found: Vec<String> =
            packages(lock).iter().map(|(name, version)| format!("{name} {version}")).collect();
        assert_eq!(found, ["a 1.0", "@s/b 2.0", "d 3.0"]);
        assert!(packages("no").is_empty());
    }

    #[test]
    fn a_lock_is_built_anew_without_addresses() {
        let package = json!({ "name": "environment" });
        let lock = r#"{"name":"evil","scripts":{},"packages":{"":{"name":"evil","dependencies":{"a":"^1"},"exports":"x"},"node_modules/a":{"version":"1.0.0","resolved":"https://h.example/files/a.tgz","integrity":"sha512-ab+/=","bin":{"a":"a.js","b":"../../b"},"x":1}}}"#;
        let built: Value = serde_json::from_str(&checked(lock, &package).unwrap().unwrap()).unwrap();
        assert_eq!(
            built["packages"],
            json!({
                "": { "name": "environment", "dependencies": { "a": "^1" } },
                "node_modules/a": { "version": "1.0.0", "integrity": "sha512-ab+/=", "bin": { "a": "a.js" } },
            })
        );
        assert_eq!(checked(r#"{"lockfileVersion":1,"dependencies":{}}"#, &package).unwrap(), None);
    }

    #[test]
    fn what_comes_from_elsewhere_is_refused() {
        let package = json!({ "name": "environment" });
        for (path, entry) in [
            ("node_modules/a", r#"{"version":"https://h.example/a.tgz"}"#),
            ("node_modules/a", r#"{"version":"1.0.0","resolved":"git+ssh://h.example/a"}"#),
            ("node_modules/a", r#"{"version":"1.0.0","resolved":"file:../a"}"#),
            ("node_modules/a", r#"{"resolved":"../a","link":true}"#),
            ("node_modules/a", r#"{"version":"1.0.0","link":true}"#),
            ("node_modules/a", r#"{"version":"1.0.0","name":"../x"}"#),
            ("node_modules/a", r#"{"version":"1.0.0","dependencies":{"b":"http://h.example/b.tgz"}}"#),
            ("node_modules/a", r#"{"version":"1.0.0","peerDependencies":{"b":"user/repository"}}"#),
            ("node_modules/../a", r#"{"version":"1.0.0"}"#),
            ("packages/a", r#"{"version":"1.0.0"}"#),
            ("node_modules/a", "5"),
        ] {
            let lock = format!("{{\"packages\":{{\"{path}\":{entry}}}}}");
            assert!(checked(&lock, &package).is_err(), "{path}: {entry}");
        }
    }
}
