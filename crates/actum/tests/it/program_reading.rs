//! What a program's text tells about it, read inside a sandbox: `actum internal read`.

use crate::world::{Caller, World};
use actum_model::{Completeness, Reading};

#[test]
fn a_program_is_read_inside_a_sandbox() {
    let Some(world) = World::new(Caller::Root).or_else(|| World::new(Caller::Ordinary)) else { return };
    world.make_file(&world.workspace().join("a.py"), "import numpy as np\nprint(np.float(1))\nopen('x.csv'");
    let actum = world.actum().into_os_string().into_string().unwrap();
    let line = format!("'{actum}' internal read --language python < a.py");
    let done = world.run(&["sh", "-c", &line]).flags(&["--read", &actum]).go().expect(0);
    let reading: Reading = serde_json::from_str(&done.out()).unwrap();
    assert!(matches!(reading.complete, Completeness::Truncated { line: 3, .. }), "{:?}", reading.complete);
    assert_eq!(reading.imports[0].module, "numpy");
    assert!(reading.names.iter().any(|name| name.name == "numpy.float"));
}
