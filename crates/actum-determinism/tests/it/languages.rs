//! Random numbers of other languages: those named as pinned repeat, and programs of the language go on as before.

use crate::world::{World, is_installed, printed, request};
use actum_determinism::Profile;

/// Three runs give the same with the pinning, and did not without.
fn assert_pinned(profile: Profile, program: &str, arguments: &[&str]) {
    if !is_installed(program) {
        return;
    }
    let world = World::new(profile);
    let first = world.run(program, arguments);
    assert_eq!(
        [first.as_str(); 2],
        [world.run(program, arguments), world.run(program, arguments)],
        "{program}"
    );
    let bare = World::bare();
    let draws = [(); 3].map(|()| bare.run(program, arguments));
    assert!(draws.iter().any(|draw| *draw != first), "{program} gives this without us: {first}");
}

#[test]
fn node() {
    let workers = "
const { Worker, isMainThread, parentPort } = require('worker_threads');
if (!isMainThread) { parentPort.postMessage(Math.random()); }
else {
  const draw = () => new Promise(done => new Worker(__filename).on('message', done));
  (async () => console.log([Math.random(), await draw(), await draw()].join('\\n')))();
}";
    assert_pinned(Profile::Pinned, "node", &["-e", "console.log(Math.random(), [1, 2].map(Math.random))"]);
    if is_installed("node") {
        let world = World::new(Profile::Pinned);
        world.file("a.js", workers);
        let drawn = world.run("node", &["a.js"]);
        assert_eq!(drawn, world.run("node", &["a.js"]));
        let mut lines: Vec<&str> = drawn.lines().collect();
        lines.sort_unstable();
        lines.dedup();
        assert_eq!(lines.len(), 3, "{drawn}");
        let seen = "console.log(process.execArgv, Object.keys(require.cache).length, module.children.length)";
        assert_eq!(world.run("node", &["-e", seen]), World::bare().run("node", &["-e", seen]));
    }
}

#[test]
fn ruby() {
    assert_pinned(Profile::Pinned, "ruby", &["-e", "p rand, [1, 2, 3, 4, 5, 6, 7].shuffle, Random.rand"]);
}

#[test]
fn r_and_the_profile_of_its_user() {
    assert_pinned(Profile::Pinned, "Rscript", &["-e", "cat(runif(3), sample(100, 3), ls(), '\\n')"]);
    if !is_installed("Rscript") {
        return;
    }
    let world = World::new(Profile::Pinned);
    world.file(".Rprofile", "own <- 'of the project'\n");
    assert_eq!(world.run("Rscript", &["-e", "cat(own)"]), "of the project");
    let mut given = request(Profile::Pinned);
    let profile = world.file("given profile.R", "own <- 'given'\n");
    given.given = vec![("R_PROFILE_USER".to_owned(), profile.to_str().unwrap().to_owned())];
    assert_eq!(World::with(&given).run("Rscript", &["-e", "cat(own)"]), "given");
}

#[test]
fn the_order_of_hashes_in_perl() {
    assert_pinned(
        Profile::Pinned,
        "perl",
        &["-e", "my %h = map { $_ => 1 } 'a'..'z'; print join ',', keys %h"],
    );
}

#[test]
fn rand_of_perl_and_php_in_a_strict_run() {
    assert_pinned(Profile::Strict, "perl", &["-e", "print rand, ' ', time"]);
    assert_pinned(
        Profile::Strict,
        "php",
        &["-r", "echo mt_rand(), ' ', random_int(0, 1 << 40), ' ', microtime(true);"],
    );
}

#[test]
fn entropy_of_cpp_and_hash_maps_of_rust_in_a_strict_run() {
    let world = World::new(Profile::Strict);
    for (compiler, name, text) in [
        (
            "c++",
            "a.cpp",
            "#include <random>\n#include <cstdio>\nint main() { std::random_device d; std::printf(\"%u\\n\", d()); }",
        ),
        (
            "rustc",
            "b.rs",
            "fn main() { println!(\"{:?}\", (0..9).collect::<std::collections::HashSet<i32>>()); }",
        ),
    ] {
        if !is_installed(compiler) {
            continue;
        }
        let source = world.file(name, text);
        let binary = source.with_extension("run");
        let bare = World::bare();
        let mut compile = bare.command(compiler, &[]);
        printed(&compile.arg(&source).arg("-o").arg(&binary).output().unwrap());
        assert_pinned_binary(&world, binary.to_str().unwrap());
    }
}

fn assert_pinned_binary(world: &World, binary: &str) {
    assert_eq!(world.run(binary, &[]), world.run(binary, &[]));
    assert_ne!(World::bare().run(binary, &[]), World::bare().run(binary, &[]));
}
