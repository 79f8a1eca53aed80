//! The cache with a made-up compiler: what hits, what misses, what stays.

use super::*;
use crate::{Compile, Makes, Reads, Variables};
use actum_model::Bytes;
use std::fs;
use std::path::{Path, PathBuf};

struct World {
    folder: tempfile::TempDir,
    compile: Compile,
}

impl World {
    fn new(reads: Reads) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().canonicalize().unwrap().join(name);
        for name in ["workspace", "staging"] {
            fs::create_dir(at(name)).unwrap();
        }
        fs::write(at("workspace/main.c"), "int main;").unwrap();
        let compile = Compile {
            command: Vec::new(),
            compiler: "/usr/bin/cc".into(),
            flags: vec!["cc".into(), "-O1".into()],
            variables: Variables::default(),
            output: at("staging/program"),
            makes: Makes::Program,
            reads,
            reads_file: at("staging/reads.d"),
            root: at("workspace"),
        };
        Self { compile, folder }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    fn cache(&self, most: u64) -> Cache {
        Cache::new(&self.at("cache"), Bytes(most))
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.at(name), text).unwrap();
    }

    fn gather(&self) -> Gathered {
        let workspace = self.at("workspace");
        gather(&self.compile, (&workspace.join("main.c"), &workspace), &workspace).unwrap()
    }

    fn reads(&self) -> Vec<Read> {
        let Gathered::All(reads) = self.gather() else { panic!("what was read is not known") };
        reads
    }

    /// Stages a program of this text and admits it.
    fn admit(&self, cache: &Cache, key: &Key, text: &str) -> Kept {
        self.write("staging/program", text);
        cache.admit(key, (&self.compile.output, Makes::Program), self.reads()).unwrap()
    }
}

fn compiler(text: &str) -> Identity {
    Identity::Said { path: "/usr/bin/cc".into(), text: text.to_owned() }
}

fn key_of(source: &str, compile: &Compile) -> Key {
    key(&Made {
        language: "c",
        source: source.as_bytes(),
        compile,
        compiler: &compiler("cc 12"),
        workspace: Path::new("/w"),
    })
}

fn told(world: &World, header: &str) {
    world.write("workspace/util.h", header);
    world.write("staging/reads.d", "program: main.c util.h /etc/passwd\n");
}

#[test]
fn everything_that_decides_is_in_the_key() {
    let base = World::new(Reads::Told).compile;
    let of = |language: &str, source: &str, compile: &Compile, said: &str| {
        key(&Made {
            language,
            source: source.as_bytes(),
            compile,
            compiler: &compiler(said),
            workspace: Path::new("/w"),
        })
    };
    let mut flags = base.clone();
    flags.flags.push("-g".into());
    let mut joined = base.clone();
    joined.flags = vec!["cc-O1".into()];
    let mut variable = base.clone();
    variable.variables = Variables(vec![("CGO_ENABLED".into(), "0".into())]);
    let keys = [
        of("c", "a", &base, "cc 12"),
        of("cpp", "a", &base, "cc 12"),
        of("c", "b", &base, "cc 12"),
        of("c", "a", &base, "cc 13"),
        of("c", "a", &flags, "cc 12"),
        of("c", "a", &joined, "cc 12"),
        of("c", "a", &variable, "cc 12"),
    ];
    let distinct: std::collections::HashSet<_> = keys.iter().collect();
    assert_eq!(distinct.len(), keys.len());
    // Where things lie does not.
    let mut elsewhere = base.clone();
    elsewhere.output = "/elsewhere".into();
    elsewhere.variables = Variables(vec![("GOCACHE".into(), "/somewhere/go".into())]);
    let mut same = base.clone();
    same.variables = Variables(vec![("GOCACHE".into(), "/else/go".into())]);
    assert_eq!(of("c", "a", &elsewhere, "cc 12"), of("c", "a", &same, "cc 12"));
}

#[test]
fn a_program_is_found_again_until_a_header_changes() {
    let world = World::new(Reads::Told);
    told(&world, "#define A 1");
    let (cache, key) = (world.cache(1 << 20), key_of("x", &world.compile));
    assert!(cache.lookup(&key).is_none());
    world.admit(&cache, &key, "one");
    let found = cache.lookup(&key).unwrap();
    assert_eq!(fs::read_to_string(&found.artifact).unwrap(), "one");
    assert!(cache.lookup(&key_of("y", &world.compile)).is_none());

    told(&world, "#define A 2");
    assert!(cache.lookup(&key).is_none());
    world.admit(&cache, &key, "two");
    assert_eq!(fs::read_to_string(cache.lookup(&key).unwrap().artifact).unwrap(), "two");
    // Back on the other branch the first is still there.
    told(&world, "#define A 1");
    assert_eq!(fs::read_to_string(cache.lookup(&key).unwrap().artifact).unwrap(), "one");
    fs::remove_file(world.at("workspace/util.h")).unwrap();
    assert!(cache.lookup(&key).is_none());
}

#[test]
fn files_beside_the_source_count_and_so_does_a_new_one() {
    let world =
        World::new(Reads::Beside { extensions: vec!["go".to_owned()], names: vec!["go.mod".to_owned()] });
    fs::create_dir_all(world.at("workspace/internal/deep")).unwrap();
    world.write("workspace/go.mod", "module x");
    world.write("workspace/internal/deep/a.go", "package deep");
    world.write("workspace/notes.txt", "not looked at");
    let mut world = world;
    fs::create_dir(world.at("workspace/cmd")).unwrap();
    // The module begins above the folder of the source.
    world.compile.root = world.at("workspace/cmd");
    let (cache, key) = (world.cache(1 << 20), key_of("x", &world.compile));
    world.admit(&cache, &key, "one");
    assert!(cache.lookup(&key).is_some());
    world.write("workspace/notes.txt", "changed");
    assert!(cache.lookup(&key).is_some());
    world.write("workspace/internal/deep/b.go", "package deep");
    assert!(cache.lookup(&key).is_none());
    fs::remove_file(world.at("workspace/internal/deep/b.go")).unwrap();
    assert!(cache.lookup(&key).is_some());
    world.write("workspace/internal/deep/a.go", "package deeper");
    assert!(cache.lookup(&key).is_none());
}

#[test]
fn what_cannot_be_compared_is_not_kept() {
    let world = World::new(Reads::Unknown);
    assert_eq!(world.gather(), Gathered::Unknown);
    let world = World::new(Reads::Told);
    assert_eq!(world.gather(), Gathered::Unknown, "no list was written");
    world.write("staging/reads.d", "program: main.c gone.h\n");
    assert_eq!(world.gather(), Gathered::Unknown, "a file that is not there");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        world.at("workspace/pipe.h"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    world.write("staging/reads.d", "program: main.c pipe.h\n");
    assert_eq!(world.gather(), Gathered::Unknown, "a pipe would be waited for");
    world.write("staging/reads.d", "program: main.c /dev/zero\n");
    assert_eq!(world.gather(), Gathered::Unknown, "a device has no end");
}

#[test]
fn links_are_not_admitted() {
    let world = World::new(Reads::Told);
    told(&world, "");
    std::os::unix::fs::symlink("/etc/passwd", &world.compile.output).unwrap();
    let (cache, key) = (world.cache(1 << 20), key_of("x", &world.compile));
    let refused = cache.admit(&key, (&world.compile.output, Makes::Program), world.reads()).unwrap_err();
    assert!(matches!(refused, CompileCacheError::Odd { .. }), "{refused}");
    assert!(cache.lookup(&key).is_none());
    assert_eq!(
        fs::read_dir(world.at("cache/compile/incoming")).unwrap().count(),
        0,
        "nothing is left behind"
    );
}

#[test]
fn folders_are_kept_whole() {
    let world = World::new(Reads::Told);
    told(&world, "");
    fs::create_dir_all(world.at("staging/classes/x/y")).unwrap();
    world.write("staging/classes/x/y/A.class", "bytes");
    let (cache, key) = (world.cache(1 << 20), key_of("x", &world.compile));
    let made = world.at("staging/classes");
    let kept = cache.admit(&key, (&made, Makes::Folder), world.reads()).unwrap();
    assert_eq!(fs::read_to_string(kept.artifact.join("x/y/A.class")).unwrap(), "bytes");
    // A damaged one is not used.
    fs::remove_file(kept.artifact.join("x/y/A.class")).unwrap();
    assert!(cache.lookup(&key).is_none());
}

#[test]
fn twenty_at_once_find_a_whole_program() {
    let world = World::new(Reads::Told);
    told(&world, "");
    let text = "program ".repeat(100_000);
    world.write("staging/program", &text);
    let (cache, key, reads) = (world.cache(1 << 30), key_of("x", &world.compile), world.reads());
    std::thread::scope(|scope| {
        for _ in 0..20 {
            scope.spawn(|| {
                let admit =
                    || cache.admit(&key, (&world.compile.output, Makes::Program), reads.clone()).unwrap();
                let kept = cache.lookup(&key).unwrap_or_else(admit);
                assert_eq!(fs::read_to_string(&kept.artifact).unwrap(), text);
            });
        }
    });
    let (short, whole) = key.parts();
    assert_eq!(fs::read_dir(world.at("cache/compile").join(short).join(whole)).unwrap().count(), 1);
    assert_eq!(fs::read_dir(world.at("cache/compile/incoming")).unwrap().count(), 0);
}

#[test]
fn what_was_used_longest_ago_goes_first_and_what_is_in_use_stays() {
    let world = World::new(Reads::Told);
    told(&world, "");
    let text = "x".repeat(10_000);
    // Room for two and their manifests, not for three.
    let cache = world.cache(25_000);
    let keys = ["a", "b", "c", "d"].map(|source| key_of(source, &world.compile));
    let age = |kept: &Kept, seconds: u64| {
        let manifest = kept.artifact.with_file_name(cache::MANIFEST);
        let time = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
        fs::File::options().write(true).open(manifest).unwrap().set_modified(time).unwrap();
    };
    let first = world.admit(&cache, &keys[0], &text);
    age(&first, 1);
    age(&world.admit(&cache, &keys[1], &text), 2);
    // The first is the oldest but in use, so the second goes.
    let third = world.admit(&cache, &keys[2], &text);
    assert!(first.artifact.is_file() && third.artifact.is_file());
    assert!(cache.lookup(&keys[1]).is_none());
    age(&first, 1);
    age(&third, 3);
    drop((first, third));
    world.admit(&cache, &keys[3], &text);
    let left = keys.each_ref().map(|key| cache.lookup(key).is_some());
    assert_eq!(left, [false, false, true, true]);
}

#[test]
fn compilers_are_known_by_their_files_unless_they_choose() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().canonicalize().unwrap().join(name);
    fs::write(at("cc-12"), "binary").unwrap();
    std::os::unix::fs::symlink("cc-12", at("cc")).unwrap();
    let Some(Identity::File { path, size, .. }) = identify(&at("cc")).unwrap() else { panic!("not a file") };
    assert_eq!((path, size), (at("cc-12"), 6));
    fs::write(at("shim"), "#!/bin/sh\nexec cc").unwrap();
    fs::write(at("rustup"), "binary").unwrap();
    std::os::unix::fs::symlink("rustup", at("rustc")).unwrap();
    assert_eq!(identify(&at("shim")).unwrap(), None);
    assert_eq!(identify(&at("rustc")).unwrap(), None);
    assert!(identify(Path::new("/no/such/compiler")).is_err());
}
