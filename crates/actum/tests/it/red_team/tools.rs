//! Interpreters, installers and caches that a project could have written.

use crate::run::{Done, Run};
use crate::world::{Caller, PATH, World};
use actum_testkit::package_index::{Package, PackageIndex, Release};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

const SECRET: &str = "TOP-SECRET-KEY";

/// A caller with an ssh key and a project whose virtual environment is on `PATH`.
struct Project {
    world: World,
    index: PackageIndex,
    uv: PathBuf,
}

impl Project {
    fn new(caller: Caller, packages: Vec<Package>) -> Option<Self> {
        let uv = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/test-tools/python/bin/uv");
        let Ok(uv) = uv.canonicalize() else {
            actum_testkit::skip("uv is not there; `cargo xtask test` installs it");
            return None;
        };
        let world = World::new(caller)?;
        world.make_file(&world.path("home/.ssh/id_test"), SECRET);
        let index = PackageIndex::start(packages);
        let project = Self { world, index, uv };
        project.configure("");
        Some(project)
    }

    /// A project for each caller, with one package on its index.
    fn each() -> Vec<Self> {
        [Caller::Root, Caller::Ordinary].into_iter().filter_map(|caller| Self::new(caller, numpy())).collect()
    }

    fn configure(&self, more: &str) {
        let text = format!("[packages]\nindex = \"{}\"\nage = \"0s\"\n{more}", self.index.url());
        self.world.make_file(&self.world.path("home/.config/actum/config.toml"), &text);
    }

    fn path(&self, name: &str) -> PathBuf {
        self.world.workspace().join(name)
    }

    fn key(&self) -> PathBuf {
        self.world.path("home/.ssh/id_test")
    }

    /// A run of a file that imports a package, with these folders in front of `PATH`.
    fn preparing(&self, folders: &[PathBuf]) -> Run<'_> {
        self.preparing_in(&self.world.workspace(), folders)
    }

    fn preparing_in(&self, folder: &Path, folders: &[PathBuf]) -> Run<'_> {
        self.world.make_file(&folder.join("x.py"), "import numpy\nprint(numpy.value)\n");
        let run = self.world.source("x.py", &[]).folder(folder).variable("ACTUM_UV", &self.uv);
        run.variable("PATH", path_with(folders))
    }

    /// Whether the secret has come to any file below the world that a program, or a package, could have written.
    fn leaked(&self) -> bool {
        let mut folders = vec![self.world.workspace(), self.world.path("cache")];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
                let about = entry.metadata().unwrap();
                if about.is_dir() {
                    folders.push(entry.path());
                } else if about.is_file() && about.len() < 1 << 16 {
                    let bytes = std::fs::read(entry.path()).unwrap_or_default();
                    if crate::run::contains(&bytes, SECRET) {
                        return true;
                    }
                }
            }
        }
        false
    }
}

fn numpy() -> Vec<Package> {
    vec![Package::single("numpy", "2.1", "numpy.py", "value = 42\n")]
}

fn path_with(folders: &[PathBuf]) -> std::ffi::OsString {
    let system = std::env::split_paths(PATH);
    std::env::join_paths(folders.iter().cloned().chain(system)).unwrap()
}

/// An interpreter that says its prefix is `prefix`, and copies what it can read of a key to where it can write.
fn hostile(prefix: &Path, key: &Path, out: &Path) -> String {
    let real = "/usr/bin/python3";
    format!(
        "#!{real}\nimport json, os, sys, glob, subprocess\n\
         def steal():\n    \
             try: text = open({key:?}).read()\n    \
             except OSError: return\n    \
             for place in glob.glob({out:?} + '/environments/*/workshop') + [{out:?}]:\n        \
                 try: open(place + '/stolen', 'w').write(text)\n        \
                 except OSError: pass\n\
         steal()\n\
         if 'sys.executable' in ' '.join(sys.argv):\n    \
             print(json.dumps([os.path.abspath(sys.argv[0]), [3, 11, 2], 'cpython', {prefix:?}, []]))\n    \
             sys.exit(0)\n\
         os.execv({real:?}, ['python3'] + sys.argv[1:])\n"
    )
}

/// Finding 1: the project's interpreter is replaced by a run, and the next one prepares packages.
#[test]
fn an_interpreter_of_the_workspace_prepares_nothing() {
    for project in Project::each() {
        let python = project.path(".venv/bin/python3");
        let cache = project.world.path("cache/actum");
        project.world.make_folder(&cache);
        let home = project.world.path("home");
        project.world.make_program(&python, &hostile(&home.join(".ssh"), &project.key(), &cache));
        project.world.make_file(&project.path(".venv/pyvenv.cfg"), "home = /usr/bin\n");
        let done = project.preparing(&[project.path(".venv/bin")]).go();
        assert!(!project.leaked(), "{done}");
        assert_eq!(done.expect(0).out(), "42\n");
    }
}

/// The same by a link on the way, by a relative entry, and by a folder that everybody can write.
#[test]
fn neither_links_nor_relative_entries_nor_shared_folders_choose_a_tool() {
    let Some(project) = Project::new(Caller::Ordinary, numpy()) else { return };
    let (world, cache) = (&project.world, project.world.path("cache/actum"));
    world.make_folder(&cache);
    let text = hostile(&world.path("home"), &project.key(), &cache);
    world.make_program(&project.path("bin/python3"), &text);
    world.make_folder(&world.path("tools"));
    symlink(project.path("bin"), world.path("tools/bin")).unwrap();
    let shared = world.path("shared");
    world.make_program(&shared.join("python3"), &text);
    std::fs::set_permissions(&shared, PermissionsExt::from_mode(0o1777)).unwrap();
    for folders in [vec![world.path("tools/bin")], vec!["bin".into()], vec![shared]] {
        let done = project.preparing(&folders).go();
        assert!(!project.leaked(), "{folders:?}: {done}");
        assert_eq!(done.expect(0).out(), "42\n", "{folders:?}");
    }
}

/// `uv` beside the interpreter of the project, or first on `PATH`.
#[test]
fn a_uv_of_the_workspace_is_not_used() {
    let Some(project) = Project::new(Caller::Ordinary, numpy()) else { return };
    let (ran, real) = (project.world.path("cache/uv-ran"), &project.uv);
    // Not a script: those are passed over as shims. A copy of the shell's interpreter will do to tell that it was started.
    let source = format!(
        "#include <stdio.h>\n#include <unistd.h>\nint main(int c, char **v) {{ FILE *f = fopen(\"{}\", \"w\");\n\
         if (f) {{ fputs(\"ran\", f); fclose(f); }} puts(\"uv 9.9.9\"); return 0; }}\n",
        ran.display()
    );
    if !compiled(&project.world, &source, &project.path("bin/uv")) {
        return;
    }
    let run = project.preparing(&[project.path("bin")]).variable("ACTUM_UV", project.path("bin/uv"));
    let done = run.go();
    assert!(!done.told("/environment/prepared/tool").to_string().contains("9.9.9"), "{done}");
    assert!(!ran.exists());
    let done = project.preparing(&[project.path("bin")]).go().expect(0);
    assert_eq!(done.told("/environment/prepared/tool"), &tool_name(real));
}

fn tool_name(uv: &Path) -> String {
    let said = std::process::Command::new(uv).arg("--version").output().unwrap();
    String::from_utf8(said.stdout).unwrap().split_whitespace().take(2).collect::<Vec<_>>().join(" ")
}

fn compiled(world: &World, source: &str, program: &Path) -> bool {
    world.make_folder(program.parent().unwrap());
    let file = world.path("source.c");
    std::fs::write(&file, source).unwrap();
    let made = std::process::Command::new("cc").arg("-o").arg(program).arg(&file).status();
    let is_made = made.is_ok_and(|status| status.success());
    if !is_made {
        actum_testkit::skip("there is no C compiler");
    }
    is_made
}

/// A project of an earlier run, on `PATH` while another one runs.
#[test]
fn a_tool_of_another_project_is_not_used() {
    for project in Project::each() {
        let (world, cache) = (&project.world, project.world.path("cache/actum"));
        let other = world.path("other");
        let text = hostile(&world.path("home"), &project.key(), &cache);
        world.make_file(&other.join("new"), &text);
        // Nothing of a virtual environment is left but the name.
        let replace = "import os, shutil\nos.makedirs('tools/bin')\nshutil.copy('new', 'tools/bin/python3')\n\
                       os.chmod('tools/bin/python3', 0o755)\n";
        world.code("python", replace).folder(&other).go().expect(0);
        assert!(other.join("tools/bin/python3").exists());
        let done = project.preparing(&[other.join("tools/bin")]).go();
        assert!(!project.leaked(), "{done}");
        assert_eq!(done.expect(0).out(), "42\n");
    }
}

/// What one project prepared is what another one gets.
#[test]
fn a_project_cannot_poison_the_environment_of_another() {
    let Some(project) = Project::new(Caller::Ordinary, numpy()) else { return };
    let (world, cache) = (&project.world, project.world.path("cache/actum"));
    let text = format!(
        "#!/usr/bin/python3\nimport glob, json, os, sys\n\
         for name in glob.glob({cache:?} + '/environments/*/workshop/**/numpy.py', recursive=True):\n    \
             try: open(name, 'w').write('value = 666\\n')\n    \
             except OSError: pass\n\
         for name in glob.glob({cache:?} + '/environments/*/workshop/sites/*/made/venv/lib/*/site-packages/numpy.py'):\n    \
             try: open(name, 'w').write('value = 666\\n')\n    \
             except OSError: pass\n\
         if 'sys.executable' in ' '.join(sys.argv):\n    \
             own = os.path.abspath(sys.argv[0]); print(json.dumps([own, [3, 11, 2], 'cpython', os.path.dirname(own), []])); sys.exit(0)\n\
         os.execv('/usr/bin/python3', ['python3'] + sys.argv[1:])\n"
    );
    world.make_program(&project.path("bin/python3"), &text);
    let other = world.path("other");
    world.make_folder(&other);
    assert_eq!(project.preparing_in(&other, &[]).go().expect(0).out(), "42\n");
    project.preparing(&[project.path("bin")]).go();
    assert_eq!(project.preparing_in(&other, &[]).go().expect(0).out(), "42\n");
    // Nor one that is prepared anew from what was fetched before.
    std::fs::remove_dir_all(glob(&cache).into_iter().find(|path| path.ends_with("kept")).unwrap()).unwrap();
    assert_eq!(project.preparing_in(&other, &[]).go().expect(0).out(), "42\n");
}

/// No file of an environment is shared with what a later preparation may write.
#[test]
fn environments_share_no_file_with_the_workshop() {
    use std::os::unix::fs::MetadataExt;
    let Some(project) = Project::new(Caller::Ordinary, numpy()) else { return };
    project.preparing(&[]).go().expect(0);
    let mut folders = vec![project.world.path("cache/actum/environments")];
    let mut seen = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap().flatten() {
            let about = entry.metadata().unwrap();
            let is_kept = entry.path().components().any(|part| part.as_os_str() == "kept");
            if about.is_dir() {
                folders.push(entry.path());
            } else if about.is_file() && is_kept {
                seen += 1;
                assert_eq!(about.nlink(), 1, "{}", entry.path().display());
            }
        }
    }
    assert!(seen > 3, "{seen} files are kept");
}

/// A package that is built from sources writes what it likes; only its own project gets that.
#[test]
fn what_a_package_built_stays_with_its_project() {
    let numpy =
        Package::new("numpy").with(Release::new("2.1").module("numpy.py", "value = 42\n").only_source());
    let builder = |name: &str| Package::single(name, "70.0", &format!("{name}.py"), "");
    let packages = vec![numpy, builder("setuptools"), builder("wheel")];
    let Some(project) = Project::new(Caller::Ordinary, packages) else { return };
    project.configure("builds = true\n");
    let cached = |folder: &Path| {
        let done = project.preparing_in(folder, &[]).go().expect(0);
        assert_eq!(done.out(), "42\n");
        done.told("/environment/prepared/cached").as_bool()
    };
    let (one, other) = (project.world.workspace(), project.world.path("other"));
    project.world.make_folder(&other);
    assert_eq!([&one, &one, &other].map(|folder| cached(folder)), [Some(false), Some(true), Some(false)]);
    let all = glob(&project.world.path("cache/actum/environments"));
    let wheels = all.iter().filter(|path| path.extension().is_some_and(|extension| extension == "whl"));
    assert_eq!(wheels.filter(|path| path.components().any(|part| part.as_os_str() == "built")).count(), 2);
}

/// npm and node are tools as well, and `node_modules/.bin` is on the `PATH` of many.
#[test]
fn an_npm_of_the_workspace_is_not_used() {
    let has = |name: &str| std::env::split_paths(PATH).any(|folder| folder.join(name).is_file());
    if !has("npm") || !has("node") {
        return actum_testkit::skip("there is no npm");
    }
    let plain =
        Package::new("lodash").with(Release::new("1.2.0").module("index.js", "exports.value = 12;\n"));
    for caller in [Caller::Root, Caller::Ordinary] {
        let Some(world) = World::new(caller) else { continue };
        let index = PackageIndex::start(vec![plain.clone()]);
        let bin = world.workspace().join("node_modules/.bin");
        let text = format!(
            "#!/bin/sh\nfor w in {}/actum/environments/*/workshop/npm; do echo ran > $w/ran; done 2>/dev/null\nexit 1\n",
            world.path("cache").display(),
        );
        world.make_file(
            &world.workspace().join("x.mjs"),
            "import one from 'lodash'\nconsole.log(one.value)\n",
        );
        // First the program's own node is the machine's, then nothing of the path is.
        for (names, code) in [(&["npm"][..], 0), (&["npm", "node"], 1)] {
            names.iter().for_each(|name| world.make_program(&bin.join(name), &text));
            let run = world.source("x.mjs", &[]).flags(&["--package", "lodash"]);
            let run = run.variable("PATH", path_with(std::slice::from_ref(&bin)));
            let done = run.variable("npm_config_registry", index.npm_url()).go();
            let all = glob(&world.path("cache/actum/environments"));
            assert!(!all.iter().any(|path| path.ends_with("npm/ran")), "{done}");
            assert_eq!(done.code(), code, "{done}");
        }
    }
}

fn glob(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut folders) = (Vec::new(), vec![folder.to_path_buf()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(entry.path());
            }
            found.push(entry.path());
        }
    }
    found
}

/// A project in which a program ran holds a link, and `PATH` names the link: what it leads to is shown to no later run.
#[test]
fn a_link_on_the_path_shows_no_folder_of_the_home() {
    for world in World::each() {
        let (home, other) = (world.path("home"), world.path("other"));
        world.make_file(&home.join("private/lib/notes"), SECRET);
        world.make_folder(&home.join("private/bin"));
        world.make_file(&home.join(".local/share/notes"), SECRET);
        world.make_folder(&home.join(".local/bin"));
        world.make_folder(&other);
        world.run(&["true"]).folder(&other).go().expect(0);
        for target in ["private", ".local"] {
            let venv = other.join(".venv");
            let _ = std::fs::remove_file(&venv);
            symlink(home.join(target), &venv).unwrap();
            let look = format!(
                "cat {1}/lib/notes {1}/share/notes {0}/private/lib/notes {0}/.local/share/notes; true",
                home.display(),
                venv.display()
            );
            let run = world.run(&["sh", "-c", &look]).variable("PATH", path_with(&[venv.join("bin")]));
            let done = run.go();
            assert!(!done.out().contains(SECRET), "{target}: {done}");
        }
    }
}

/// `pyvenv.cfg` names a folder that looks like an installation of Python and is another project.
#[test]
fn an_environment_file_shows_no_folder_that_it_names() {
    for world in World::each() {
        let home = world.path("home");
        let other = home.join("clients/secret");
        world.make_file(&other.join("lib/python3.11/notes"), SECRET);
        world.make_program(&other.join("bin/python3"), "");
        let named = other.join("bin");
        let inside = world.workspace().join("link");
        symlink(&named, &inside).unwrap();
        for named in [named, inside] {
            let text = format!("home = {}\nversion = 3.11.2\n", named.display());
            world.make_file(&world.workspace().join(".venv/pyvenv.cfg"), &text);
            world.make_program(&world.workspace().join(".venv/bin/python3"), "#!/usr/bin/python3\n");
            let look = format!("cat {}/lib/python3.11/notes; true", other.display());
            let run = world.run(&["sh", "-c", &look]);
            let run = run.variable("PATH", path_with(&[world.workspace().join(".venv/bin")]));
            let done = run.go();
            assert!(!done.out().contains(SECRET), "{done}");
        }
    }
}

/// Virtual environments of version managers go on working: on `PATH`, and by their path.
#[test]
fn an_environment_of_a_version_manager_finds_its_interpreter() {
    for world in World::each() {
        let base = world.path("home/.local/share/uv/python/cpython-3.99");
        world.make_file(&base.join("lib/python3.99/marker"), "here");
        let text = "#!/bin/sh\ncat \"$(dirname \"$(readlink -f \"$0\")\")/../lib/python3.99/marker\"\n";
        world.make_program(&base.join("bin/python3"), text);
        let venv = world.workspace().join(".venv");
        world.make_file(&venv.join("pyvenv.cfg"), &format!("home = {}\n", base.join("bin").display()));
        world.make_folder(&venv.join("bin"));
        symlink(base.join("bin/python3"), venv.join("bin/python3")).unwrap();
        let by_path = world.run(&["python3"]).variable("PATH", path_with(&[venv.join("bin")])).go();
        assert_eq!(by_path.expect(0).out(), "here");
        let by_name = world.run(&[".venv/bin/python3"]).go();
        assert_eq!(by_name.expect(0).out(), "here");
    }
}

/// The packages of the project's own environment are the program's packages: nothing is installed in their place.
#[test]
fn a_program_keeps_the_packages_of_its_own_environment() {
    let Some(project) = Project::new(Caller::Ordinary, numpy()) else { return };
    let venv = project.path(".venv");
    let made = std::process::Command::new("/usr/bin/python3")
        .args(["-m", "venv", "--without-pip"])
        .arg(&venv)
        .status()
        .is_ok_and(|status| status.success());
    if !made {
        return actum_testkit::skip("there is no venv module");
    }
    let libraries = std::fs::read_dir(venv.join("lib")).unwrap().flatten().next().unwrap().path();
    std::fs::write(libraries.join("site-packages/numpy.py"), "value = 7\n").unwrap();
    let done = project.preparing(&[venv.join("bin")]).go().expect(0);
    assert_eq!(done.out(), "7\n", "{done}");
    assert!(project.index.asked().is_empty());
}

/// `git` that tells what differs from the commit is the machine's.
#[test]
fn a_git_of_the_workspace_does_not_tell_what_changed() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let Some(folder) = crate::record::repository(&world) else { return };
    let bin = folder.join("bin");
    world.make_program(&bin.join("git"), "#!/bin/sh\nexit 0\n");
    world.make_file(&folder.join("code/a.txt"), "two\n");
    // Long enough for git to look.
    let done = world.run(&["sleep", "1"]).variable("PATH", path_with(&[bin])).go().expect(0);
    assert_eq!(crate::record::record(&world, &done)["git"]["dirty"], true, "{done}");
}

/// `.git` names a folder of keys as the repository: it is shown to nobody, and the run goes on.
#[test]
fn a_repository_file_shows_no_folder_that_is_none() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let keys = world.path("home/.ssh");
    world.make_file(&keys.join("id_test"), SECRET);
    world.make_file(&world.workspace().join(".git"), &format!("gitdir: {}\n", keys.display()));
    let look = format!("cat {}/id_test; true", keys.display());
    let done = world.run(&["sh", "-c", &look]).go().expect(0);
    assert!(!done.out().contains(SECRET), "{done}");
}

/// Finding 14: another user was there before the fall-back folder of somebody without a home was made.
#[test]
fn a_cache_that_another_user_made_is_not_used() {
    let (Some(root), Some(world)) = (World::new(Caller::Root), World::new(Caller::Ordinary)) else { return };
    let user = world.identity.user;
    let fallback = PathBuf::from(format!("/var/tmp/actum-{user}"));
    let _lock = fallback_lock();
    let aside = PathBuf::from(format!("/var/tmp/actum-{user}-aside-{}", std::process::id()));
    let had = std::fs::rename(&fallback, &aside).is_ok();
    let no_home = |run: Run<'_>| -> Done {
        let mut run = run.variable("HOME", "/nonexistent");
        run = run.variable("XDG_CACHE_HOME", "/nonexistent/cache");
        run.go()
    };
    // Of root, open to everybody; and a link.
    root.make_folder(&root.path("planted"));
    let mut codes = Vec::new();
    for kind in ["open", "link"] {
        if kind == "open" {
            std::fs::create_dir(&fallback).unwrap();
            std::fs::set_permissions(&fallback, PermissionsExt::from_mode(0o777)).unwrap();
        } else {
            std::fs::set_permissions(root.path("planted"), PermissionsExt::from_mode(0o777)).unwrap();
            symlink(root.path("planted"), &fallback).unwrap();
        }
        let done = no_home(world.code("c", "int main(void) { return 0; }\n"));
        let written = [fallback.join("actum"), root.path("planted/actum")].iter().any(|path| path.exists());
        codes.push((kind, done.code(), written, done.err()));
        let _ = std::fs::remove_file(&fallback);
        let _ = std::fs::remove_dir_all(&fallback);
    }
    if had {
        let _ = std::fs::rename(&aside, &fallback);
    }
    for (kind, code, written, said) in codes {
        assert!(!written && code == 125, "{kind}: {code} {said}");
        assert!(said.contains("/var/tmp/actum-"), "{kind}: {said}");
    }
}

/// Tests run in processes of their own; one at a time may play with the folder that all of them would share.
fn fallback_lock() -> std::fs::File {
    let path = format!("/var/tmp/actum-it-lock-{}", rustix::process::geteuid().as_raw());
    let file = std::fs::OpenOptions::new().write(true).create(true).truncate(false).open(path).unwrap();
    file.lock().unwrap();
    file
}

/// The same for a folder that is named by a variable and was made by somebody else.
#[test]
fn a_named_cache_of_another_user_is_not_used() {
    let (Some(_), Some(world)) = (World::new(Caller::Root), World::new(Caller::Ordinary)) else { return };
    let _lock = fallback_lock();
    let fallback = PathBuf::from(format!("/var/tmp/actum-{}", world.identity.user));
    let was_there = fallback.exists();
    let cache = world.path("shared-cache");
    std::fs::create_dir(&cache).unwrap();
    std::fs::create_dir(cache.join("actum")).unwrap();
    for folder in [&cache, &cache.join("actum")] {
        std::fs::set_permissions(folder, PermissionsExt::from_mode(0o777)).unwrap();
    }
    let code = "#include <stdio.h>\nint main(void) { puts(\"mine\"); }\n";
    let run = || world.code("c", code).variable("XDG_CACHE_HOME", &cache);
    let done = run().go();
    let kept: Vec<PathBuf> =
        glob(&cache.join("actum/compile")).into_iter().filter(|path| path.is_file()).collect();
    assert!(kept.is_empty(), "{kept:?} {done}");
    assert!(!cache.join("actum/binary").exists());
    if !was_there {
        let _ = std::fs::remove_dir_all(&fallback);
    }
}

/// Runs and keys are not kept in a folder that another user made: its owner could exchange them.
#[test]
fn a_named_store_of_another_user_is_not_used() {
    let (Some(_), Some(world)) = (World::new(Caller::Root), World::new(Caller::Ordinary)) else { return };
    let _lock = fallback_lock();
    let fallback = PathBuf::from(format!("/var/tmp/actum-{}", world.identity.user));
    let was_there = fallback.exists();
    for variable in ["XDG_DATA_HOME", "XDG_CONFIG_HOME"] {
        let base = world.path(variable);
        std::fs::create_dir_all(base.join("actum")).unwrap();
        for folder in [&base, &base.join("actum")] {
            std::fs::set_permissions(folder, PermissionsExt::from_mode(0o777)).unwrap();
        }
        world.run(&["true"]).variable(variable, &base).go().expect(0);
        let kept = glob(&base.join("actum"));
        assert!(kept.is_empty(), "{variable}: {kept:?}");
    }
    if !was_there {
        let _ = std::fs::remove_dir_all(&fallback);
    }
}

/// An artefact that was exchanged after it was compiled is compiled again.
#[test]
fn a_compiled_program_that_was_exchanged_is_not_run() {
    for world in World::each() {
        let code = "#include <stdio.h>\nint main(void) { puts(\"mine\"); }\n";
        let run = || world.code("c", code).go().expect(0);
        assert_eq!(run().out(), "mine\n");
        let kept = glob(&world.path("cache/actum/compile"));
        let artifacts: Vec<&PathBuf> = kept.iter().filter(|path| path.ends_with("artifact")).collect();
        assert_eq!(artifacts.len(), 1, "{kept:?}");
        // The same length and date; another word.
        let mut bytes = std::fs::read(artifacts[0]).unwrap();
        let at = bytes.windows(4).position(|word| word == b"mine").unwrap();
        bytes[at..at + 4].copy_from_slice(b"evil");
        let modified = artifacts[0].metadata().unwrap().modified().unwrap();
        std::fs::set_permissions(artifacts[0], PermissionsExt::from_mode(0o755)).unwrap();
        std::fs::write(artifacts[0], &bytes).unwrap();
        std::fs::File::open(artifacts[0]).unwrap().set_modified(modified).unwrap();
        assert_eq!(run().out(), "mine\n");
    }
}

/// A compiler that leaves a link in the place of its folder has nothing copied from there.
#[test]
fn a_compiler_does_not_lead_the_cache_to_another_folder() {
    for world in World::each() {
        world.make_file(&world.path("home/.ssh/Main.class"), SECRET);
        let bin = world.workspace().join("bin");
        // As javac is called: `-d FOLDER`.
        let javac = format!(
            "#!/bin/sh\ncase \"$1\" in -version|--version) echo 'javac 17.0.1'; exit 0;; esac\n\
             while [ $# -gt 0 ]; do [ \"$1\" = -d ] && out=$2; shift; done\n\
             rmdir \"$out\" 2>/dev/null; ln -s {} \"$out\"\n",
            world.path("home/.ssh").display()
        );
        world.make_program(&bin.join("javac"), &javac);
        let java = "#!/bin/sh\ncase \"$1\" in -version|--version) echo 'openjdk 17.0.1'; exit 0;; esac\n\
                    while [ $# -gt 0 ]; do [ \"$1\" = -cp ] && cat \"$2\"/*; shift; done\n";
        world.make_program(&bin.join("java"), java);
        world.make_file(
            &world.workspace().join("Main.java"),
            "public class Main { public static void main(String[] a) {} }\n",
        );
        let done = world.source("Main.java", &[]).variable("PATH", path_with(&[bin])).go();
        assert!(!done.out().contains(SECRET), "{done}");
        let copied = glob(&world.path("cache/actum/compile"));
        let leaked = copied
            .iter()
            .filter(|path| path.is_file())
            .any(|path| std::fs::read(path).is_ok_and(|bytes| crate::run::contains(&bytes, SECRET)));
        assert!(!leaked, "{done}");
    }
}

/// A project with a package that is fine, one that is denied, and one that asks for the denied one.
fn denying() -> Option<Project> {
    let packages = vec![
        Package::single("goodpkg", "1.0", "goodpkg.py", "value = 1\n"),
        Package::single("evilpkg", "1.0", "evilpkg.py", "value = 2\n"),
        Package::new("parentpkg").with(Release::new("1.0").requires("evilpkg").module("parentpkg.py", "")),
        Package::new("sloppypkg").with(Release::new("1.0").requires("reqeusts").module("sloppypkg.py", "")),
        Package::single("reqeusts", "1.0", "reqeusts.py", ""),
    ];
    let project = Project::new(Caller::Ordinary, packages)?;
    project.configure("deny = [\"evilpkg\"]\n");
    Some(project)
}

impl Project {
    /// Runs a program that says which of the packages it finds, beside these files.
    fn finding(&self, files: &[(&str, &str)]) -> Done {
        for (name, text) in files {
            self.world.make_file(&self.path(name), text);
        }
        let text = "import importlib.util as u\nprint([n for n in ('goodpkg', 'evilpkg', 'reqeusts') if u.find_spec(n)])\nimport goodpkg\n";
        self.world.make_file(&self.path("find.py"), text);
        let done = self.world.source("find.py", &[]).variable("ACTUM_UV", &self.uv).go();
        for (name, _) in files {
            std::fs::remove_file(self.path(name)).unwrap();
        }
        done
    }

    fn fetched(&self, name: &str) -> bool {
        self.index.asked().iter().any(|path| path.contains(name) && path.ends_with(".whl"))
    }
}

#[test]
fn text_of_a_project_adds_no_line_to_what_uv_reads() {
    let Some(project) = denying() else { return };
    let done = project.finding(&[("requirements.txt", "goodpkg>=1 ; python_version > '3'\n")]).expect(0);
    assert_eq!(done.out(), "['goodpkg']\n");
    for text in [
        "[project]\nname = 'x'\ndependencies = [\"goodpkg>=0\\nevilpkg\"]\n",
        "[tool.poetry.dependencies]\n\"goodpkg\\nevilpkg\" = '*'\n",
        "[tool.poetry.dependencies]\n\"-r /etc/passwd\\ngoodpkg\" = '*'\n",
        "[project]\nname = 'x'\ndependencies = [\"goodpkg\\r-r /etc/passwd\"]\n",
    ] {
        let done = project.finding(&[("pyproject.toml", text)]);
        assert!(!project.fetched("evilpkg"), "{text}{done}");
        assert!(!done.err().contains("root:"), "{text}{done}");
        done.expect(122);
    }
}

#[test]
fn a_denied_package_does_not_come_as_a_dependency() {
    let Some(project) = denying() else { return };
    for name in ["parentpkg", "sloppypkg"] {
        let done = project.finding(&[("requirements.txt", &format!("goodpkg\n{name}\n"))]).expect(122);
        assert!(!done.out().contains("evilpkg") && !done.out().contains("reqeusts"), "{done}");
    }
    assert!(!project.fetched("reqeusts"));
    // What was built while it was allowed is not used once it is denied.
    project.configure("");
    project.finding(&[("requirements.txt", "goodpkg\nparentpkg\n")]).expect(0);
    project.configure("deny = [\"evilpkg\"]\n");
    project.finding(&[("requirements.txt", "goodpkg\nparentpkg\n")]).expect(122);
}

#[test]
fn a_lock_names_one_source_for_each_package() {
    let Some(project) = denying() else { return };
    let url = project.index.url();
    let host = url.trim_end_matches("/simple").trim_end_matches("/simple/");
    for source in [
        format!("{{ virtual = \".\", registry = \"{url}\" }}"),
        format!("{{ virtual = \".\", url = \"{host}/evil.whl\" }}"),
        format!("{{ registry = 5, url = \"{host}/evil.whl\" }}"),
        "{ virtual = \".\" }".to_owned(),
    ] {
        let lock = format!(
            "version = 1\nrequires-python = \">=3.8\"\n[[package]]\nname = \"x\"\nversion = \"0\"\nsource = {{ virtual = \".\" }}\n\
             dependencies = [{{ name = \"evilpkg\" }}]\n[[package]]\nname = \"evilpkg\"\nversion = \"1.0\"\nsource = {source}\n"
        );
        let project_file =
            "[project]\nname = 'x'\nversion = '0'\nrequires-python = '>=3.8'\ndependencies = ['evilpkg']\n";
        let project_file = project_file.replace("['evilpkg']", "[]");
        let done = project.finding(&[("pyproject.toml", &project_file), ("uv.lock", &lock)]).expect(122);
        assert!(done.err().contains("only packages from the index"), "{source}: {done}");
    }
}

#[test]
fn a_project_does_not_allow_a_near_miss_by_itself() {
    let Some(project) = denying() else { return };
    let settings = ("actum.toml", "[packages]\nallow = [\"reqeusts\"]\n");
    let done = project.finding(&[settings, ("requirements.txt", "goodpkg\nreqeusts\n")]);
    assert!(!project.fetched("reqeusts") && !done.out().contains("reqeusts"), "{done}");
    assert!(!done.status.success(), "{done}");
}
