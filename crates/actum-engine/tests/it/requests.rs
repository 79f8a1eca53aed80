//! Requests that cannot be built, and what a caller is told.

use crate::world::World;
use actum_engine::{Request, RequestBuilder};

#[test]
fn what_does_not_agree_is_refused_before_anything_is_started() {
    let world = World::new();
    let engine = world.engine();
    let fill =
        |asked: RequestBuilder| RequestBuilder { workspace: Some(world.workspace.path().into()), ..asked };
    let cases = [
        (fill(Request::builder()), "nothing to run"),
        (Request::builder().command(["true"]).workspace("/no/such/folder"), "/no/such/folder"),
        (
            RequestBuilder { workdir: Some("..".into()), ..world.command(&["true"]) },
            "not inside the workspace",
        ),
        (RequestBuilder { limits: vec!["memory".into()], ..world.command(&["true"]) }, "memory"),
        (RequestBuilder { policy: Some("nobody".into()), ..world.command(&["true"]) }, "nobody"),
        (RequestBuilder { python: Some("three".into()), ..world.command(&["true"]) }, "three"),
        (world.command(&["true"]).timeout("soon"), "soon"),
    ];
    for (asked, expected) in cases {
        let error = engine.request(asked.clone()).unwrap_err();
        let told = actum_engine::describe(&error);
        assert!(told.contains(expected) && error.exit_code().get() >= 120, "{asked:?}: {told}");
    }
    assert!(!engine.store().root().exists(), "nothing was recorded");
}

#[test]
fn a_request_survives_being_kept() {
    let world = World::new();
    let asked = RequestBuilder { limits: vec!["memory=1GiB".into()], ..world.shell("exit 0").timeout("3s") };
    let kept = serde_json::to_string(&asked).unwrap();
    let read: RequestBuilder = serde_json::from_str(&kept).unwrap();
    assert_eq!(serde_json::to_string(&read).unwrap(), kept);
    let older: RequestBuilder =
        serde_json::from_str(r#"{"source":{"Code":[49]},"language":"python"}"#).unwrap();
    assert_eq!(older.language.as_deref(), Some("python"));
}
