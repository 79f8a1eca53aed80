//! Whatever happens while an environment is built, the cache stays usable.

use crate::world::{World, below, finish, start};
use actum_testkit::package_index::{Conduct, Package, Release};
use serde_json::json;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

/// Large enough that there is something to interrupt.
fn broad() -> Package {
    let mut release = Release::new("1.0");
    for number in 0..120 {
        let text = format!("def f{number}(x):\n    return x + {number}\n").repeat(20);
        release = release.module(&format!("broad/m{number}.py"), &text);
    }
    Package::new("broad").with(release.module("broad/__init__.py", "from . import m7, m119\n"))
}

#[test]
fn killed_at_any_moment_the_cache_stays_usable() {
    let Some(world) = World::new(vec![broad()]) else { return };
    // How long a whole one takes, in a cache of its own.
    let begun = std::time::Instant::now();
    let whole = world.prepare(&["broad"], json!({ "cache": world.folder.path().join("first") }));
    assert_eq!(whole.code, Some(0), "{whole:?}");
    let mut span = begun.elapsed();
    const ROUNDS: u32 = 50;
    let mut interrupted = 0;
    for round in 0..ROUNDS {
        // Spread over the whole time, in an order that is not the clock's.
        let at = span * ((round * 37) % ROUNDS) / ROUNDS;
        let mut child = start(&world.wish(&["broad"], json!({})));
        std::thread::sleep(at);
        // The first one is often the slowest: who was done before is asked for sooner from now on.
        match child.try_wait().unwrap() {
            None => interrupted += 1,
            Some(_) => span = span * 4 / 5,
        }
        child.kill().unwrap();
        child.wait().unwrap();
        // Every fifth time somebody wants it whole; otherwise the next one goes on from what lies there.
        if round % 5 == 4 {
            let code = "import broad; print(broad.m7.f7(1), broad.m119.f119(1))";
            let came = world.prepare(&["broad"], json!({ "then": code }));
            assert_eq!((came.code, came.printed().trim()), (Some(0), "8 120"), "round {round}: {came:?}");
            assert_eq!(world.kept().len(), 1);
            assert!(below(&world.environments().join("workshop/sites")).is_empty(), "round {round}");
        }
        for path in world.kept().into_iter().chain(below(&world.environments().join("wanted"))) {
            let _ = if path.is_dir() { std::fs::remove_dir_all(&path) } else { std::fs::remove_file(&path) };
        }
        // And now and then without what was fetched and found out.
        if round % 3 == 2 {
            let _ = std::fs::remove_dir_all(world.environments().join("workshop"));
            let _ = std::fs::remove_dir_all(world.environments().join("known"));
        }
    }
    assert!(interrupted > ROUNDS / 2, "only {interrupted} were interrupted");
}

#[test]
fn who_has_had_enough_leaves_a_usable_cache() {
    let Some(world) = World::new(vec![broad()]) else { return };
    world.index.behave(Conduct::Slow(Duration::from_secs(2)));
    for after in [0, 30, 300, 1000] {
        let came = world.prepare(&["broad"], json!({ "cancel_after": after }));
        assert_eq!((came.code, came.text("trouble")), (Some(130), "cancelled"), "{came:?}");
        assert!(below(&world.environments().join("workshop/sites")).is_empty());
    }
    world.index.behave(Conduct::Well);
    let came = world.prepare(&["broad"], json!({ "then": "import broad; print('well')" }));
    assert_eq!((came.code, came.printed().trim()), (Some(0), "well"), "{came:?}");
}

#[test]
fn a_cache_that_others_can_write_is_refused() {
    let Some(world) = World::new(vec![broad()]) else { return };
    std::fs::create_dir_all(world.environments()).unwrap();
    std::fs::set_permissions(world.environments(), std::fs::Permissions::from_mode(0o777)).unwrap();
    let came = world.prepare(&["broad"], json!({}));
    assert_eq!(came.code, Some(122), "{came:?}");
    assert!(came.text("error").contains("other users can write"), "{came:?}");
    assert!(came.text("hint").contains("XDG_CACHE_HOME"), "{came:?}");
    if !rustix::process::geteuid().is_root() {
        return actum_testkit::skip("only root can give a folder away");
    }
    std::fs::set_permissions(world.environments(), std::fs::Permissions::from_mode(0o700)).unwrap();
    std::os::unix::fs::chown(world.environments(), Some(12345), None).unwrap();
    let came = world.prepare(&["broad"], json!({}));
    assert!(came.text("error").contains("another user"), "{came:?}");
}

#[test]
fn a_damaged_manifest_is_not_believed() {
    let Some(world) = World::new(vec![broad()]) else { return };
    let first = world.prepare(&["broad"], json!({}));
    assert_eq!(first.code, Some(0), "{first:?}");
    let manifest = world.kept()[0].join("manifest.json");
    for text in ["", "{", "[]", "{\"v\":1}"] {
        std::fs::write(&manifest, text).unwrap();
        let came = world.prepare(&["broad"], json!({ "then": "import broad" }));
        assert_eq!((came.code, &came.told["cached"]), (Some(0), &json!(false)), "{text}: {came:?}");
        assert_eq!(came.told["key"], first.told["key"]);
    }
    for path in below(&world.environments().join("wanted"))
        .into_iter()
        .chain(below(&world.environments().join("known")))
    {
        std::fs::write(path, "{").unwrap();
    }
    assert_eq!(world.prepare(&["broad"], json!({})).code, Some(0));
}

#[test]
fn a_disk_that_fills_is_told_and_nothing_is_left() {
    let Some(world) = World::new(vec![broad()]) else { return };
    let cache = world.cache();
    std::fs::create_dir(&cache).unwrap();
    let full = || {
        let options = c"size=1m,mode=0700";
        rustix::mount::mount("actum-test", &cache, "tmpfs", rustix::mount::MountFlags::empty(), Some(options))
    };
    if !rustix::process::geteuid().is_root() || full().is_err() {
        return actum_testkit::skip("only root may mount a small file system");
    }
    let mounted = Mounted(&cache);
    let came = world.prepare(&["broad"], json!({}));
    assert_eq!(came.code, Some(122), "{came:?}");
    assert_eq!(came.text("trouble"), "disk-full", "{came:?}");
    assert!(world.kept().is_empty());
    assert!(below(&world.environments().join("workshop/sites")).is_empty());
    let more = c"size=64m";
    rustix::mount::mount_remount(&cache, rustix::mount::MountFlags::empty(), more).unwrap();
    let came = world.prepare(&["broad"], json!({ "then": "import broad" }));
    assert_eq!(came.code, Some(0), "with room again it goes on: {came:?}");
    drop(mounted);
}

struct Mounted<'m>(&'m std::path::Path);

impl Drop for Mounted<'_> {
    fn drop(&mut self) {
        let _ = rustix::mount::unmount(self.0, rustix::mount::UnmountFlags::DETACH);
    }
}

#[test]
fn who_waits_for_a_builder_that_dies_builds_it_himself() {
    let Some(world) = World::new(vec![broad()]) else { return };
    let mut first = start(&world.wish(&["broad"], json!({})));
    let turns = world.environments().join("turns");
    while below(&turns).is_empty() && first.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(2));
    }
    let second = start(&world.wish(&["broad"], json!({ "then": "import broad; print('well')" })));
    std::thread::sleep(Duration::from_millis(20));
    first.kill().unwrap();
    first.wait().unwrap();
    let came = finish(second);
    assert_eq!((came.code, came.printed().trim()), (Some(0), "well"), "{came:?}");
}
