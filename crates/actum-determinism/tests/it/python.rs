//! The start-up module of Python: seen by no program, in nobody's way.

use crate::world::{World, packages, printed, python};
use actum_determinism::Profile;

/// The same text with and without the pinning: on stdout, on stderr, and as an ending.
fn assert_unseen(files: &[(&str, &str)], arguments: &[&str]) {
    let Some(python) = python() else { return };
    let mut outputs = Vec::new();
    for world in [World::bare(), World::new(Profile::Pinned)] {
        for (name, text) in files {
            world.file(name, text);
        }
        let project = world.project.path().to_str().unwrap().to_owned();
        let output = world.command(&python, &[("PYTHONPATH", &project)]).args(arguments).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(&project, "PROJECT");
        outputs.push((text(&output.stdout), text(&output.stderr), output.status.code()));
    }
    assert_eq!(outputs[0], outputs[1]);
}

#[test]
fn nothing_of_ours_is_seen() {
    let program = "
import os, random, subprocess, sys
print(sys.argv, [path for path in sys.path if path != os.environ['PYTHONPATH'].split(':')[-1]])
print(sorted(name for name in sys.modules if 'custom' in name or 'actum' in name))
print([name for name in os.environ if 'CHILD' in name])
print(type(random.__loader__), type(random.__spec__.loader).__name__, vars(random.__loader__))
print(random.seed.__name__, random.seed.__module__, random.seed.__qualname__)
";
    assert_unseen(&[("a.py", program)], &["a.py", "one", "two"]);
}

#[test]
fn a_failing_import_has_the_same_traceback() {
    let files =
        [("torch.py", "def f():\n    raise ValueError('no card')\nf()\n"), ("a.py", "import torch\n")];
    assert_unseen(&files, &["a.py"]);
    let files = [("torch.py", "import there_is_no_such_module\n"), ("a.py", "import torch\n")];
    assert_unseen(&files, &["a.py"]);
}

#[test]
fn a_module_of_a_known_name_that_is_another_one_is_left_alone() {
    for name in ["torch.py", "tensorflow.py", "random.py"] {
        let program = format!("import {0}; print({0}.value)", name.trim_end_matches(".py"));
        assert_unseen(&[(name, "value = 1\n"), ("a.py", &program)], &["a.py"]);
    }
}

#[test]
fn a_projects_own_sitecustomize_still_runs() {
    let files = [
        ("sitecustomize.py", "import sys\nsys.own = __name__, __file__\n"),
        ("a.py", "import sys, sitecustomize\nprint(sys.own, sys.modules['sitecustomize'].__file__)\n"),
    ];
    assert_unseen(&files, &["a.py"]);
    assert_unseen(&[("sitecustomize.py", "raise ValueError('mine')\n"), ("a.py", "print(1)")], &["a.py"]);
    assert_unseen(&[("sitecustomize.py", "import missing\n"), ("a.py", "print(1)")], &["a.py"]);
}

#[test]
fn the_first_number_is_that_of_the_seed() {
    let Some(python) = python() else { return };
    let world = World::new(Profile::Pinned);
    let drawn = world.run(&python, &["-c", "import random; print(random.random())"]);
    assert_eq!(
        drawn,
        World::bare().run(&python, &["-c", "import random; print(random.Random(42).random())"])
    );
}

#[test]
fn a_seed_of_the_programs_own_wins() {
    let Some(python) = python() else { return };
    let program = "import random; random.seed(7); print(random.random(), random.Random(8).random())";
    assert_eq!(
        World::new(Profile::Pinned).run(&python, &["-c", program]),
        World::bare().run(&python, &["-c", program])
    );
}

#[test]
fn numbers_drawn_without_a_seed_differ_from_each_other_and_repeat() {
    let Some(python) = python() else { return };
    let program = "import random
drawn = [random.Random().random() for _ in range(100)]
random.seed(); drawn.append(random.random())
assert len(set(drawn)) == 101
print(drawn)";
    let world = World::new(Profile::Pinned);
    assert_eq!(world.run(&python, &["-c", program]), world.run(&python, &["-c", program]));
}

#[test]
fn modules_environments_and_isolated_interpreters_start() {
    let Some(python) = python() else { return };
    let world = World::new(Profile::Pinned);
    world.file("package/__main__.py", "import random, sys; print(random.random(), len(sys.argv))");
    let drawn = world.run(&python, &["-m", "package"]);
    assert!(drawn.starts_with("0.639426798457883"), "{drawn}");
    world.run(&python, &["-m", "venv", "--without-pip", "own"]);
    let environment = world.project.path().join("own/bin/python");
    let program = ["-c", "import random, sys; print(random.random(), sys.prefix != sys.base_prefix)"];
    assert_eq!(
        world.run(environment.to_str().unwrap(), &program),
        format!("{} True", drawn.trim_end_matches(" 1"))
    );
    for option in ["-E", "-I", "-S", "-B", "-O"] {
        assert_eq!(world.run(&python, &[option, "-c", "import random; print(1)"]), "1");
    }
}

#[test]
fn every_numpy_generator_without_a_seed_repeats_and_a_seeded_one_is_as_ever() {
    let (Some(python), Some(folder)) = (python(), packages(&["numpy"])) else { return };
    let callers = [("PYTHONPATH", folder.path().to_str().unwrap())];
    let program = "import numpy as np
from numpy.random import default_rng
print(np.random.rand(), default_rng().random(), np.random.Generator(np.random.PCG64()).random(), np.random.RandomState().rand())
print(type(default_rng).__name__)";
    let run = |world: &World, program: &str| {
        printed(&world.command(&python, &callers).args(["-c", program]).output().unwrap())
    };
    let world = World::new(Profile::Pinned);
    assert_eq!(run(&world, program), run(&world, program));
    assert_ne!(run(&World::bare(), program), run(&World::bare(), program));
    let seeded = "import numpy as np; np.random.seed(7); print(np.random.rand(), np.random.default_rng(7).random(), (np.ones((9, 9)) @ np.ones(9)).sum())";
    assert_eq!(run(&world, seeded), run(&World::bare(), seeded));
}

#[test]
fn pytest_runs_tests_and_rewrites_their_assertions() {
    let (Some(python), Some(folder)) =
        (python(), packages(&["pytest", "pluggy", "iniconfig", "packaging", "pygments"]))
    else {
        return;
    };
    let world = World::new(Profile::Pinned);
    world.file(
        "test_a.py",
        "import random\ndef test_a(tmp_path):\n    a, b = random.random(), 2\n    assert a == b\n",
    );
    let callers = [("PYTHONPATH", folder.path().to_str().unwrap())];
    let run = || {
        let mut command = world.command(&python, &callers);
        let output = command.args(["-m", "pytest", "-q", "-p", "no:cacheprovider"]).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let said = run();
    assert!(said.contains("assert 0.6394267984578837 == 2") && said.contains("1 failed"), "{said}");
}
