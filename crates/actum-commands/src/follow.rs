//! Scripts whose text says what they run: package scripts, recipes of `make`, files of code.

mod makefile;

use super::Files;
use super::runners::is_python;
use actum_model::command_line::SimpleCommand;
use makefile::{Recipes, Rules};
use std::path::Path;

/// What a script runs.
pub(super) enum Follow {
    /// `adds_programs`: with those of `node_modules/.bin` before all others.
    Lines {
        lines: Vec<String>,
        adds_programs: bool,
        /// The failure of a line does not end the script.
        passes_over_failures: bool,
    },
    Code {
        language: &'static str,
        text: String,
    },
}

pub(super) fn script(command: &SimpleCommand, files: &dyn Files, folder: &Path) -> Option<Follow> {
    let words: Vec<&str> = command.words.iter().map(|word| word.text.as_str()).collect();
    if command.words.iter().any(|word| word.dynamic) {
        return None;
    }
    let (_, rest) = words.split_first()?;
    match command.program() {
        "npm" | "pnpm" | "yarn" => package_script(rest, files, folder),
        "make" | "gmake" => recipe(rest, files, folder),
        "node" => code("javascript", rest, files, folder),
        "ruby" => code("ruby", rest, files, folder),
        "perl" => code("perl", rest, files, folder),
        program if is_python(program) => code("python", rest, files, folder),
        _ => None,
    }
}

/// A file of code, which is the first word that is no switch.
fn code(language: &'static str, rest: &[&str], files: &dyn Files, folder: &Path) -> Option<Follow> {
    let file = rest.iter().find(|word| !word.starts_with('-'))?;
    // Switches with a value, or code on the line.
    let is_plain =
        |word: &&str| ["-u", "-B", "-v", "-b", "-q", "-W", "-O"].contains(word) || word.starts_with("-I");
    if !rest.iter().take_while(|word| word.starts_with('-')).all(is_plain) {
        return None;
    }
    Some(Follow::Code { language, text: files.text(&folder.join(file))? })
}

fn package_script(rest: &[&str], files: &dyn Files, folder: &Path) -> Option<Follow> {
    let mut words = rest.iter().copied().peekable();
    // Other options choose another folder, another shell or other settings.
    let skip = |words: &mut std::iter::Peekable<_>| {
        while words.next_if(|word: &&str| ["--silent", "-s", "--if-present"].contains(word)).is_some() {}
    };
    skip(&mut words);
    let name = match words.next()? {
        "run" | "run-script" => {
            skip(&mut words);
            words.next()?
        }
        "t" | "tst" => "test",
        name => name,
    };
    skip(&mut words);
    let is_plain =
        |word: &str| word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-=./,:@".contains(&byte));
    let mut behind = String::new();
    let mut is_for_script = false;
    for word in words {
        match word {
            "--" if !is_for_script => is_for_script = true,
            word if is_plain(word) && (is_for_script || !word.starts_with('-')) => {
                behind.push(' ');
                behind.push_str(word);
            }
            _ => return None,
        }
    }
    if name.starts_with('-') || !has_plain_settings(files, folder) {
        return None;
    }
    let package: serde_json::Value = serde_json::from_str(&files.text(&folder.join("package.json"))?).ok()?;
    // They are printed.
    let is_shown = |key: &str| match package.get(key) {
        Some(value) => value.as_str().is_some_and(is_plain),
        None => true,
    };
    if !is_shown("name") || !is_shown("version") {
        return None;
    }
    let script = |name: &str| package.get("scripts")?.get(name)?.as_str().map(str::to_owned);
    let around = [
        script(&format!("pre{name}")),
        Some(format!("{}{behind}", script(name)?)),
        script(&format!("post{name}")),
    ];
    let lines: Vec<String> = around.into_iter().flatten().collect();
    let is_one = |line: &String| !line.contains(|c: char| c.is_control()) && !looks_like_result(line);
    lines.iter().all(is_one).then_some(Follow::Lines {
        lines,
        adds_programs: true,
        passes_over_failures: false,
    })
}

/// Settings of a project's npm by which no other program is started.
pub(super) fn has_plain_settings(files: &dyn Files, folder: &Path) -> bool {
    const KEYS: [&str; 12] = [
        "save-exact",
        "engine-strict",
        "legacy-peer-deps",
        "fund",
        "audit",
        "package-lock",
        "auto-install-peers",
        "strict-peer-dependencies",
        "shamefully-hoist",
        "update-notifier",
        "progress",
        "color",
    ];
    let is_plain_line = |line: &str| {
        let key = line.split('=').next().unwrap_or_default().trim();
        line.is_empty() || line.starts_with(['#', ';']) || KEYS.contains(&key) || key.starts_with("//")
    };
    // npm also ends a line at a carriage return.
    let is_plain = |text: String| {
        !text.contains(|c: char| c.is_control() && c != '\n')
            && text.split('\n').map(str::trim).all(is_plain_line)
    };
    let others = [".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs", ".pnp.cjs", "pnpm-workspace.yaml"];
    // A package of a workspace has the settings of its root.
    inside(files, folder).all(|folder| {
        let path = folder.join(".npmrc");
        !others.iter().any(|name| files.exists(&folder.join(name)))
            && (!files.exists(&path) || files.text(&path).is_some_and(is_plain))
    })
}

/// A folder and those above it, as far as they are in the workspace.
fn inside<'f>(files: &'f dyn Files, folder: &'f Path) -> impl Iterator<Item = &'f Path> {
    folder.ancestors().take_while(|folder| files.inside(folder).is_some())
}

/// Whether cargo starts no other programs for a project: no runner, no wrapper, no toolchain at a path.
pub(super) fn has_plain_cargo(files: &dyn Files, folder: &Path) -> bool {
    let is_plain_config = |text: String| {
        let tables: toml::Table = text.parse().unwrap_or_default();
        const TABLES: [&str; 6] = ["net", "http", "term", "registries", "profile", "future-incompat-report"];
        let is_plain_build = |(key, value): (&String, &toml::Value)| match key.as_str() {
            "jobs" | "target-dir" | "incremental" => true,
            "rustflags" => are_plain_flags(value),
            _ => false,
        };
        let is_plain = |(name, value): (&String, &toml::Value)| match name.as_str() {
            "build" => value.as_table().is_some_and(|build| build.iter().all(is_plain_build)),
            name => TABLES.contains(&name),
        };
        (!tables.is_empty() || text.trim().is_empty()) && tables.iter().all(is_plain)
    };
    let is_plain_toolchain = |text: String| !text.contains("path") && !text.contains('/');
    // Outside of the workspace they are the user's.
    inside(files, folder).all(|folder| {
        let read = |name: &str, is_plain: &dyn Fn(String) -> bool| {
            let path = folder.join(name);
            !files.exists(&path) || files.text(&path).is_some_and(is_plain)
        };
        read(".cargo/config.toml", &is_plain_config)
            && read(".cargo/config", &is_plain_config)
            && read("rust-toolchain", &is_plain_toolchain)
            && read("rust-toolchain.toml", &is_plain_toolchain)
    })
}

/// Whether flags for the compiler choose nothing but how it compiles: no linker, no plug-in, no other program, no file.
pub(super) fn are_plain_flags(flags: &toml::Value) -> bool {
    let words: Option<Vec<&str>> = match flags {
        toml::Value::String(text) => Some(text.split_whitespace().collect()),
        toml::Value::Array(words) => words.iter().map(toml::Value::as_str).collect(),
        toml::Value::Integer(_)
        | toml::Value::Float(_)
        | toml::Value::Boolean(_)
        | toml::Value::Datetime(_)
        | toml::Value::Table(_) => None,
    };
    const CODEGEN: [&str; 17] = [
        "opt-level",
        "target-cpu",
        "target-feature",
        "debuginfo",
        "debug-assertions",
        "overflow-checks",
        "codegen-units",
        "lto",
        "strip",
        "embed-bitcode",
        "force-frame-pointers",
        "incremental",
        "instrument-coverage",
        "link-dead-code",
        "relocation-model",
        "split-debuginfo",
        "symbol-mangling-version",
    ];
    const LINKERS: [&str; 4] = ["bfd", "gold", "lld", "mold"];
    let is_codegen = |option: &str| match option.split_once('=') {
        Some(("link-arg", value)) => {
            value.strip_prefix("-fuse-ld=").is_some_and(|name| LINKERS.contains(&name))
        }
        Some((name, value)) => CODEGEN.contains(&name) && !value.contains('/'),
        None => CODEGEN.contains(&option),
    };
    let is_lint = |name: &str| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-:".contains(&byte))
    };
    let Some(words) = words else { return false };
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        let (option, value) = match word {
            "-g" | "-O" => continue,
            "-C" | "--codegen" | "-D" | "-W" | "-A" | "-F" | "--deny" | "--warn" | "--allow" | "--forbid"
            | "--cfg" | "--check-cfg" => (word, words.next().unwrap_or_default()),
            word if word.starts_with("--") => word.split_once('=').unwrap_or((word, "")),
            word => word.split_at_checked(2).unwrap_or((word, "")),
        };
        let is_plain = match option {
            "-C" | "--codegen" => is_codegen(value),
            "-D" | "-W" | "-A" | "-F" | "--deny" | "--warn" | "--allow" | "--forbid" => is_lint(value),
            "--cfg" | "--check-cfg" => !value.is_empty(),
            _ => false,
        };
        if !is_plain {
            return false;
        }
    }
    true
}

/// Whether no script of the project itself has the name of a program: `[project.scripts] pytest = "fake:main"`.
pub(super) fn has_no_own_script(files: &dyn Files, folder: &Path, program: &str) -> bool {
    let path = folder.join("pyproject.toml");
    if !files.exists(&path) {
        return true;
    }
    let Some(project) = files.text(&path).and_then(|text| text.parse::<toml::Table>().ok()) else {
        return false;
    };
    let scripts = [&["project", "scripts"][..], &["tool", "poetry", "scripts"]];
    scripts.iter().all(|keys| {
        let mut inner = Some(&project);
        for key in *keys {
            inner = inner.and_then(|table| table.get(*key)).and_then(toml::Value::as_table);
        }
        inner.is_none_or(|scripts| !scripts.keys().any(|name| name == program || name.starts_with("python")))
    })
}

/// Whether no package around a folder has a program of that name itself.
pub(super) fn has_no_own_bin(files: &dyn Files, folder: &Path, program: &str) -> bool {
    inside(files, folder).all(|folder| {
        let path = folder.join("package.json");
        if !files.exists(&path) {
            return true;
        }
        let package =
            files.text(&path).and_then(|text| serde_json::from_str::<serde_json::Value>(&text).ok());
        package.is_some_and(|package| {
            let name = package.get("name").and_then(serde_json::Value::as_str).unwrap_or_default();
            name.rsplit('/').next() != Some(program)
                && package.get("bin").and_then(|bin| bin.get(program)).is_none()
                && package.get("directories").is_none()
        })
    })
}

/// `make` and `npm` print what they run: a line that reads like the end of a test run cannot be told from one.
fn looks_like_result(line: &str) -> bool {
    let lower = line.to_lowercase();
    let words = ["pass", "fail", "ran ", "ok", "error", "1..", "skip"];
    lower.contains(|c: char| c.is_ascii_digit()) && words.iter().any(|word| lower.contains(word))
}

/// The recipes of a target and of what it needs, where the Makefile has nothing but plain rules.
fn recipe(rest: &[&str], files: &dyn Files, folder: &Path) -> Option<Follow> {
    let is_switch = |word: &&str| ["-s", "--silent", "-k"].contains(word);
    let mut targets = rest.iter().copied().filter(|word| !is_switch(word));
    let (target, None) = (targets.next(), targets.next()) else { return None };
    if target.is_some_and(|target| target.starts_with('-') || target.contains('=')) {
        return None;
    }
    let names = ["GNUmakefile", "makefile", "Makefile"];
    let name = names.iter().find(|name| files.exists(&folder.join(name)))?;
    // Rules that are built in make a Makefile out of `Makefile.sh`.
    let is_made = |other: &String| {
        other.strip_prefix(name).is_some_and(|rest| rest.starts_with(['.', ',']))
            || *other == format!("s.{name}")
    };
    let beside = files.names(folder)?;
    if beside.iter().any(|other| is_made(other) || ["RCS", "SCCS"].contains(&other.as_str())) {
        return None;
    }
    let text = files.text(&folder.join(name))?;
    if text.contains("\\\n") || text.contains('\r') {
        return None;
    }
    let rules = Rules::of(&text)?;
    // `make` makes its own file first, if there is a rule for it.
    let is_own = |target: &str| target.rsplit('/').next().is_some_and(|target| names.contains(&target));
    if rules.targets().any(is_own) {
        return None;
    }
    let first = rules.targets().find(|target| !target.starts_with('.'));
    let Recipes { lines, passes_over_failures } =
        rules.recipes(target.map(makefile::bare).or(first)?, &beside)?;
    Some(Follow::Lines { lines, adds_programs: false, passes_over_failures })
}
