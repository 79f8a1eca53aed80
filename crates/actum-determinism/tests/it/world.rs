//! A folder with the files of a pinning, and programs that are started with its variables.

use actum_determinism::{
    FOLDER, Linkage, NetworkAccess, PinRequest, Pinning, ProcessIds, Processor, Profile, Seed, pin,
};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

pub struct World {
    pinning: Option<Pinning>,
    support: TempDir,
    /// Where programs start, empty at first.
    pub project: TempDir,
}

/// A request as a run in a sandbox makes it.
pub fn request(profile: Profile) -> PinRequest {
    PinRequest {
        profile,
        seed: Seed::default(),
        threads: 1,
        started_at: 1_790_000_000,
        languages: Vec::new(),
        network: NetworkAccess::None,
        // Most tests run in the machine's own namespace.
        process_ids: ProcessIds::Shared,
        linkage: Linkage::Dynamic,
        processor: processor(),
        given: Vec::new(),
    }
}

fn processor() -> Processor {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap();
    let field = |names: [&str; 2]| {
        let mut lines = text.lines().filter_map(|line| line.split_once(':'));
        lines.find(|(name, _)| names.contains(&name.trim())).map(|(_, value)| value.trim().to_owned())
    };
    let flags = field(["flags", "Features"]).unwrap_or_default();
    Processor {
        vendor: field(["vendor_id", "CPU implementer"]).unwrap_or_default(),
        flags: flags.split_whitespace().map(str::to_owned).collect(),
    }
}

impl World {
    pub fn new(profile: Profile) -> Self {
        Self::with(&request(profile))
    }

    pub fn with(request: &PinRequest) -> Self {
        let world = Self { pinning: Some(pin(request).unwrap()), ..Self::bare() };
        for file in &world.pinning.as_ref().unwrap().files {
            std::fs::write(world.support.path().join(&file.name), &file.bytes).unwrap();
        }
        world
    }

    /// Without anything pinned.
    pub fn bare() -> Self {
        let support = tempfile::tempdir().unwrap();
        Self { pinning: None, support, project: tempfile::tempdir().unwrap() }
    }

    pub fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.project.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// A program with the variables, and these of the caller beside them.
    pub fn command(&self, program: &str, callers: &[(&str, &str)]) -> Command {
        let mut variables: BTreeMap<String, String> =
            callers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        if let Some(pinning) = &self.pinning {
            let folder = self.support.path().to_str().unwrap();
            for variable in &pinning.variables {
                let value = variable.value.replace(FOLDER, folder);
                variables.insert(variable.name.clone(), value);
            }
            for name in &pinning.search_paths {
                let rest = variables.get(name).map(|rest| format!(":{rest}")).unwrap_or_default();
                variables.insert(name.clone(), format!("{folder}{rest}"));
            }
        }
        let mut command = Command::new(program);
        command.current_dir(self.project.path()).env("PYTHONDONTWRITEBYTECODE", "1").envs(variables);
        command
    }

    pub fn output(&self, program: &str, arguments: &[&str]) -> Output {
        self.command(program, &[]).args(arguments).output().unwrap()
    }

    /// What a program that has to succeed printed.
    pub fn run(&self, program: &str, arguments: &[&str]) -> String {
        printed(&self.output(program, arguments))
    }
}

pub fn printed(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}\n{}\n{}", output.status, text(&output.stdout), text(&output.stderr));
    text(&output.stdout).trim_end().to_owned()
}

pub fn is_installed(program: &str) -> bool {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let is_there = std::env::split_paths(&folders).any(|folder| folder.join(program).is_file());
    if !is_there {
        actum_testkit::skip(&format!("{program} is not installed"));
    }
    is_there
}

/// That of the test tools, where they are installed, because the wheels are for it.
pub fn python() -> Option<String> {
    let tools = tools().join("python/bin/python");
    if tools.exists() {
        return Some(tools.to_str().unwrap().to_owned());
    }
    is_installed("python3").then(|| "python3".to_owned())
}

fn tools() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/test-tools")
}

/// A folder with packages, taken out of the wheels that tests use.
pub fn packages(names: &[&str]) -> Option<TempDir> {
    let python = python()?;
    let folder = tempfile::tempdir().unwrap();
    for name in names {
        let wheels = std::fs::read_dir(tools().join("wheels")).into_iter().flatten().flatten();
        let mut wheels = wheels.map(|entry| entry.path());
        let wheel = wheels.find(|path| {
            let file = path.file_name().unwrap().to_string_lossy().into_owned();
            file.starts_with(&format!("{name}-")) && file.ends_with(".whl")
        });
        let Some(wheel) = wheel else {
            actum_testkit::skip(&format!("no wheel of {name} is there; `cargo xtask test` fetches them"));
            return None;
        };
        let mut unpack = Command::new(&python);
        printed(&unpack.args(["-m", "zipfile", "-e"]).arg(wheel).arg(folder.path()).output().unwrap());
    }
    Some(folder)
}
