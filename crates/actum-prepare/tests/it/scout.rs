//! The scout goes out inside the walls, and what it finds can be prepared.

use crate::world::World;
use actum_testkit::package_index::{Conduct, Package, Release};
use serde_json::{Value, json};

fn gadget() -> Package {
    let release = |version: &str, uploaded: &str, text: &str| {
        Release::new(version).module("gadget/__init__.py", text).uploaded(uploaded).requires("part")
    };
    Package::new("gadget")
        .with(
            release("1.0", "2021-03-01T00:00:00Z", "from .old import gone\n")
                .module("gadget/old.py", "gone = 'here'\n"),
        )
        .with(release("2.0", "2022-03-01T00:00:00Z", ""))
        .with(release("3.0", "2023-03-01T00:00:00Z", ""))
}

fn part() -> Package {
    let release = |version: &str, uploaded: &str| Release::new(version).uploaded(uploaded);
    Package::new("part")
        .with(release("1.0", "2021-01-01T00:00:00Z").module("part.py", "version = 1\n"))
        .with(release("2.0", "2024-01-01T00:00:00Z").module("part.py", "version = 2\n"))
}

#[test]
fn a_release_that_has_the_name_is_found_and_prepared_with_its_neighbours() {
    let Some(world) = World::new(vec![gadget(), part()]) else { return };
    let came = world.prepare(&[], json!({ "seek": ["gadget", "gadget", "gone"] }));
    assert_eq!(came.text("ended"), "found", "{came:?}");
    let pick = came.told["pick"].clone();
    assert_eq!(pick, json!({ "requirement": "gadget==1.0", "newest": "2021-08-28", "fits": true }));
    let wanted = pick["requirement"].as_str().unwrap();
    let then = "import gadget, part; print(gadget.gone, part.version)";
    let prepared = world.prepare(&[wanted], json!({ "at": pick["newest"], "then": then }));
    assert_eq!(prepared.printed().trim(), "here 1", "{prepared:?}");
}

#[test]
fn nothing_found_and_nobody_there_are_answers() {
    let Some(world) = World::new(vec![gadget(), part()]) else { return };
    let never = world.prepare(&[], json!({ "seek": ["gadget", "gadget", "never"] }));
    assert_eq!((never.text("ended"), &never.told["pick"]), ("exhausted", &Value::Null), "{never:?}");
    let offline = world.prepare(&[], json!({ "seek": ["gadget", "gadget", "gone"], "offline": true }));
    assert_eq!((offline.code, &offline.told["ended"]), (Some(0), &Value::Null), "{offline:?}");
    world.index.behave(Conduct::Down);
    let down = world.prepare(&[], json!({ "seek": ["gadget", "gadget", "gone"] }));
    assert_eq!(down.text("ended"), "failed", "{down:?}");
}
