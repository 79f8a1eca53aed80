//! Which configuration a command uses.
//!
//! What the command says counts first, then what the program declares as a default, then the places where people keep one. The last
//! is a guess, and says so.

use super::Format;
use crate::error::ParameterError;
use crate::near;
use actum_gate::{Kind, Root};
use actum_model::{DeclaredParameter, Framework};
use serde_json::Value;
use std::path::Path;

/// A configuration and why it is the one.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct ConfigChoice {
    /// Below the root.
    pub file: String,
    pub why: String,
    /// Nothing says that the command reads it: it lies where configurations are kept.
    pub is_guess: bool,
}

/// What a search for a configuration gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConfigSearch {
    One(ConfigChoice),
    /// Several are equally likely, and nothing says which.
    Several(Vec<ConfigChoice>),
    None,
}

/// Options whose value is a configuration.
const FLAGS: [&str; 16] = [
    "--config",
    "--config-file",
    "--config_file",
    "--configfile",
    "--config_path",
    "--cfg",
    "--cfg_file",
    "--cfg-file",
    "--conf",
    "--params",
    "--params-file",
    "--yaml",
    "--opt",
    "--hparams",
    "--settings",
    "-c",
];

/// Files that are a configuration by their name, the most likely first.
const NAMES: [&str; 12] = [
    "params.yaml",
    "config.yaml",
    "config.yml",
    "config.toml",
    "config.json",
    "conf/config.yaml",
    "conf/config.yml",
    "config/config.yaml",
    "configs/config.yaml",
    "configs/default.yaml",
    "configs/default.yml",
    "hparams.yaml",
];

/// Folders of configurations.
const FOLDERS: [&str; 3] = ["configs", "config", "conf"];

/// Entries of such a folder that are looked at.
const MOST: usize = 1_000;

/// Several choices are listed up to this number.
const MOST_LISTED: usize = 20;

/// The configuration that a command uses. `declared` is what its program declares, `goal` a word such as `train`.
pub fn find(
    root: &Root,
    command: &[String],
    declared: &[DeclaredParameter],
    goal: Option<&str>,
) -> Result<ConfigSearch, ParameterError> {
    if let Some(search) = hydra(root, command, declared)? {
        return Ok(search);
    }
    if let Some(choice) = on_command_line(root, command, declared)? {
        return Ok(ConfigSearch::One(choice));
    }
    if let Some(choice) = by_default(root, declared) {
        return Ok(ConfigSearch::One(choice));
    }
    Ok(by_custom(root, goal))
}

/// The flags that give a configuration: the usual ones, and what the program declares under such a name.
pub fn config_flags(declared: &[DeclaredParameter]) -> Vec<String> {
    let mut flags: Vec<String> = FLAGS.iter().map(|flag| (*flag).to_owned()).collect();
    for parameter in declared {
        let is_config = parameter.flags.iter().any(|flag| FLAGS.contains(&flag.as_str()) && flag != "-c");
        if is_config {
            flags.extend(parameter.flags.iter().filter(|flag| !FLAGS.contains(&flag.as_str())).cloned());
        } else if parameter.flags.iter().any(|flag| flag == "-c") {
            // `-c` is something else here.
            flags.retain(|flag| flag != "-c");
        }
    }
    flags
}

fn on_command_line(
    root: &Root,
    command: &[String],
    declared: &[DeclaredParameter],
) -> Result<Option<ConfigChoice>, ParameterError> {
    let flags = config_flags(declared);
    let starts_code = command.first().is_some_and(|program| {
        let name = program.rsplit('/').next().unwrap_or_default();
        name.starts_with("python") || ["sh", "bash", "node", "Rscript"].contains(&name)
    });
    let mut words = command.iter().enumerate().skip(1).peekable();
    while let Some((at, word)) = words.next() {
        let (flag, value) = match word.split_once('=') {
            Some((flag, value)) => (flag, Some(value.to_owned())),
            None => (word.as_str(), None),
        };
        // `python -c CODE` is no configuration.
        if !flags.iter().any(|known| known == flag) || starts_code && at == 1 {
            continue;
        }
        let Some(value) = value.or_else(|| words.peek().map(|(_, next)| (*next).clone())) else { continue };
        // An absolute path, or one that the program reads in another way (`configs/x.py`).
        if Format::of(&value).is_none() || value.starts_with(['/', '~']) || value.contains("$") {
            continue;
        }
        let file = plain(&value);
        if !root.has_file(Path::new(&file)) {
            return Err(missing(root, &file));
        }
        return Ok(Some(ConfigChoice { file, why: format!("the command has `{flag}`"), is_guess: false }));
    }
    let by_name = command.iter().skip(1).filter(|word| !word.starts_with('-') && Format::of(word).is_some());
    let mut found = by_name.map(|word| plain(word)).filter(|file| root.has_file(Path::new(file)));
    Ok(found.next().map(|file| ConfigChoice {
        file,
        why: "the command names it".to_owned(),
        is_guess: false,
    }))
}

fn plain(file: &str) -> String {
    let mut file = file;
    while let Some(rest) = file.strip_prefix("./") {
        file = rest.trim_start_matches('/');
    }
    file.to_owned()
}

fn missing(root: &Root, file: &str) -> ParameterError {
    let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
    let beside: Vec<String> = configs_in(root, folder);
    let stem = |file: &str| {
        let name = file.rsplit('/').next().unwrap_or_default();
        name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_owned()
    };
    let stems: Vec<String> = beside.iter().map(|file| stem(file)).collect();
    let near = near::names(&stem(file), &stems);
    let mut near: Vec<String> = beside.iter().filter(|file| near.contains(&stem(file))).cloned().collect();
    // The same name with another ending, or in a usual folder.
    let elsewhere = FOLDERS.iter().flat_map(|folder| configs_in(root, folder)).chain(beside);
    for other in elsewhere.chain(configs_in(root, "")) {
        if stem(&other) == stem(file) && !near.contains(&other) && near.len() < 3 {
            near.push(other);
        }
    }
    ParameterError::ConfigMissing { file: file.to_owned(), near }
}

/// The default of an option for configurations.
fn by_default(root: &Root, declared: &[DeclaredParameter]) -> Option<ConfigChoice> {
    let flags = config_flags(declared);
    declared.iter().find_map(|parameter| {
        let is_config = parameter.flags.iter().any(|flag| flags.contains(flag));
        let default = parameter.default.as_ref()?.literal()?.as_str()?;
        let file = plain(default);
        let is_there = is_config && Format::of(&file).is_some() && root.has_file(Path::new(&file));
        let why = format!("it is the default of `{}` (line {})", parameter.flags.first()?, parameter.line);
        is_there.then_some(ConfigChoice { file, why, is_guess: false })
    })
}

/// The primary configuration of Hydra, beside the program that declares it.
fn hydra(
    root: &Root,
    command: &[String],
    declared: &[DeclaredParameter],
) -> Result<Option<ConfigSearch>, ParameterError> {
    let of = |name: &str| {
        let parameter = declared.iter().find(|one| one.framework == Framework::Hydra && one.name == name)?;
        let given = value_of(command, &parameter.flags);
        let default = || parameter.default.as_ref()?.literal().and_then(Value::as_str).map(str::to_owned);
        given.or_else(default)
    };
    let Some(name) = of("config_name") else { return Ok(None) };
    let program = command.iter().skip(1).find(|word| word.ends_with(".py"));
    let beside = program.and_then(|program| program.rsplit_once('/')).map_or("", |(folder, _)| folder);
    let folder = of("config_path").unwrap_or_default();
    if folder.starts_with('/') || folder.contains("://") {
        return Ok(None);
    }
    let Some(folder) = join(beside, &folder) else { return Ok(None) };
    let file = if Format::of(&name).is_some() { name } else { format!("{name}.yaml") };
    let file = if folder.is_empty() { file } else { format!("{folder}/{file}") };
    if !root.has_file(Path::new(&file)) {
        return Err(missing(root, &file));
    }
    let why = "it is the primary configuration of `@hydra.main`".to_owned();
    Ok(Some(ConfigSearch::One(ConfigChoice { file, why, is_guess: false })))
}

fn value_of(command: &[String], flags: &[String]) -> Option<String> {
    let at = command.iter().position(|word| flags.iter().any(|flag| word.split('=').next() == Some(flag)))?;
    match command[at].split_once('=') {
        Some((_, value)) => Some(value.to_owned()),
        None => command.get(at + 1).cloned(),
    }
}

/// Two paths as one, with `..` resolved; nothing where it leaves the root.
fn join(one: &str, other: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in one.split('/').chain(other.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

fn by_custom(root: &Root, goal: Option<&str>) -> ConfigSearch {
    let guess = |file: String, why: &str| ConfigChoice { file, why: why.to_owned(), is_guess: true };
    let for_goal = goal.into_iter().flat_map(|goal| {
        let names = FOLDERS.iter().flat_map(move |folder| {
            ["yaml", "yml", "toml", "json"].iter().map(move |ending| format!("{folder}/{goal}.{ending}"))
        });
        names.collect::<Vec<_>>()
    });
    let by_name = for_goal.chain(NAMES.iter().map(|name| (*name).to_owned()));
    for file in by_name {
        if root.has_file(Path::new(&file)) {
            return ConfigSearch::One(guess(file, "its name is usual for a configuration"));
        }
    }
    for folder in FOLDERS {
        let mut files = configs_in(root, folder);
        match files.len() {
            0 => {}
            1 => return ConfigSearch::One(guess(files.remove(0), "it is the only one in its folder")),
            _ => {
                let several = files.into_iter().take(MOST_LISTED);
                let why = "its folder is usual for configurations";
                return ConfigSearch::Several(several.map(|file| guess(file, why)).collect());
            }
        }
    }
    ConfigSearch::None
}

/// Configurations in a folder, by name.
fn configs_in(root: &Root, folder: &str) -> Vec<String> {
    let names = root.names(Path::new(folder), MOST).unwrap_or_default();
    let mut files: Vec<String> = names
        .into_iter()
        .filter(|(_, kind)| *kind == Kind::File)
        .filter_map(|(name, _)| name.into_string().ok())
        .filter(|name| Format::of(name).is_some() && !is_of_tools(name))
        .map(|name| if folder.is_empty() { name } else { format!("{folder}/{name}") })
        .collect();
    files.sort();
    files
}

/// What lies at the top of many projects and configures other programs.
fn is_of_tools(name: &str) -> bool {
    const NAMES: [&str; 14] = [
        "pyproject.toml",
        "package.json",
        "package-lock.json",
        "tsconfig.json",
        "Cargo.toml",
        "dvc.yaml",
        "environment.yml",
        "environment.yaml",
        "docker-compose.yml",
        "docker-compose.yaml",
        "mkdocs.yml",
        "pnpm-lock.yaml",
        "actum.toml",
        "rustfmt.toml",
    ];
    name.starts_with('.') || NAMES.contains(&name)
}
