//! What is worked out from texts, on a machine that is made up.

use super::*;
use actum_model::{EnvironmentPlan, ModuleOrigin};

/// A machine with these files, an interpreter with these modules, and nothing else.
#[derive(Default)]
struct Machine {
    files: Vec<&'static str>,
    modules: Vec<&'static str>,
    declared: Option<&'static str>,
    variables: Vec<&'static str>,
}

impl Look for Machine {
    fn is_there(&self, path: &Path) -> bool {
        self.files
            .iter()
            .any(|file| Path::new("/w").join(file) == path || Path::new("/w").join(file).starts_with(path))
    }

    fn declared(&self) -> Option<PathBuf> {
        self.declared.map(|file| Path::new("/w").join(file))
    }

    fn interpreter_has(&self, module: &str) -> bool {
        self.modules.contains(&module)
    }

    fn interpreters(&self) -> Vec<(u8, u8)> {
        vec![(3, 13), (3, 11), (2, 7)]
    }

    fn runs_typescript(&self) -> bool {
        false
    }

    fn is_set(&self, variable: &str) -> bool {
        self.variables.contains(&variable)
    }
}

fn look_at(code: &str, machine: &Machine, rules: &Packages) -> (Needs, Wish) {
    let reading = actum_syntax::read("python", code.as_bytes());
    let program = Program {
        number: 1,
        language: "python",
        folder: Path::new("/w"),
        file: Some(Path::new("/w/main.py")),
        start: Path::new("/w"),
        interpreter: Some((3, 11)),
        rules,
    };
    work_out(&reading, &program, machine)
}

fn wish(code: &str) -> Wish {
    look_at(code, &Machine::default(), &Packages::default()).1
}

#[test]
fn imports_become_packages() {
    for (code, expected) in [
        ("import os, sys, json", &[] as &[&str]),
        ("import numpy as np", &["numpy"]),
        (
            "import cv2\nimport yaml\nfrom bs4 import BeautifulSoup",
            &["opencv-python-headless", "pyyaml", "beautifulsoup4"],
        ),
        ("import cv2\ncv2.imshow('a', 1)", &["opencv-python"]),
        ("from google.cloud import storage", &["google-cloud-storage"]),
        ("def f():\n    import requests", &["requests"]),
        ("import importlib\nm = importlib.import_module('requests')", &["requests"]),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import pandas", &[]),
        ("try:\n    import torch\nexcept ImportError:\n    torch = None", &[]),
        ("import pandas as pd\npd.read_excel('a.xlsx')", &["pandas", "openpyxl"]),
        ("# pip install requests\nimport json\nimport numpy", &["numpy", "requests"]),
    ] {
        let bare: Vec<String> = wish(code).requirements.iter().map(|one| crate::bare(one)).collect();
        assert_eq!(bare, expected, "{code}");
    }
}

#[test]
fn files_of_the_project_are_no_packages() {
    let machine = Machine { files: vec!["helpers.py", "models/net.py"], ..Machine::default() };
    let code = "import helpers\nfrom models import net\nimport utils\nimport numpy";
    let (needs, wish) = look_at(code, &machine, &Packages::default());
    assert_eq!(wish.requirements, ["numpy"]);
    let origin = |name: &str| needs.modules.iter().find(|one| one.name == name).map(|one| one.origin);
    assert_eq!(origin("helpers"), Some(ModuleOrigin::Local));
    assert_eq!(origin("models"), Some(ModuleOrigin::Local));
    // A name that projects give to their own files is never installed, whoever registered it.
    assert_eq!(origin("utils"), Some(ModuleOrigin::Missing));
}

#[test]
fn what_nobody_knows_is_refused_with_what_is_near() {
    let (needs, wish) =
        look_at("import numpyy\nimport nosuchthingatall", &Machine::default(), &Packages::default());
    assert!(wish.requirements.is_empty());
    let refused: Vec<(&str, bool)> = needs
        .refused
        .iter()
        .map(|one| (one.name.as_str(), one.nearest.contains(&"numpy".to_owned())))
        .collect();
    assert_eq!(refused, [("numpyy", true), ("nosuchthingatall", false)]);
    let denied = Packages { deny: vec!["NumPy".to_owned()], ..Packages::default() };
    let (needs, wish) = look_at("import numpy", &Machine::default(), &denied);
    assert!(wish.requirements.is_empty());
    assert_eq!(needs.refused[0].why, "your configuration denies it");
    let named = Packages { named: vec!["mine==1".to_owned()], ..Packages::default() };
    assert_eq!(look_at("import os", &Machine::default(), &named).1.requirements, ["mine==1"]);
    let pinned = Packages { named: vec!["requests==2.31.0".to_owned()], ..Packages::default() };
    let requirements = look_at("import requests", &Machine::default(), &pinned).1.requirements;
    assert_eq!(requirements, ["requests==2.31.0"], "in the version that was named");
}

#[test]
fn what_is_declared_is_taken_at_its_word() {
    let code = "# /// script\n# requires-python = \">=3.12\"\n# dependencies = [\"requests<3\", \"rich\"]\n# ///\nimport numpy";
    let (needs, wish) = look_at(code, &Machine::default(), &Packages::default());
    assert_eq!(needs.environment, EnvironmentPlan::Script);
    assert_eq!((wish.requirements, wish.guessed), (vec!["requests<3".to_owned(), "rich".to_owned()], false));
    // The newest of this machine that it allows, not the least that it names.
    assert_eq!(wish.interpreter, Some((3, 13)));
    let machine = Machine { declared: Some("requirements.txt"), ..Machine::default() };
    let (needs, wish) = look_at("import numpy", &machine, &Packages::default());
    assert_eq!(needs.environment, EnvironmentPlan::Declared { file: "requirements.txt".to_owned() });
    assert!(wish.requirements.is_empty() && !wish.guessed);
}

#[test]
fn an_interpreter_that_has_everything_is_used_as_it_is() {
    let machine = Machine { modules: vec!["numpy"], ..Machine::default() };
    let (needs, wish) = look_at("import numpy", &machine, &Packages::default());
    assert!(matches!(needs.environment, EnvironmentPlan::Interpreter { .. }));
    assert!(wish.requirements.is_empty());
    let (needs, wish) = look_at("import numpy, pandas", &machine, &Packages::default());
    assert_eq!(needs.environment, EnvironmentPlan::Imports);
    assert_eq!(wish.requirements, ["numpy", "pandas"]);
}

#[test]
fn inputs_and_variables_that_are_missing_are_told() {
    let machine = Machine { files: vec!["there.csv"], variables: vec!["HOME"], ..Machine::default() };
    let code = "import os\nopen('there.csv')\nopen('gone.csv')\nopen('made.csv', 'w')\nopen('made.csv')\nos.environ['HOME'], os.environ['API_KEY'], os.environ.get('MAYBE')";
    let (needs, _) = look_at(code, &machine, &Packages::default());
    assert_eq!(needs.missing_files, ["gone.csv"]);
    assert_eq!(needs.missing_variables, ["API_KEY"]);
}
