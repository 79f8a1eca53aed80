//! Files that interpreters read before the program, and the variables that have them read.

use crate::pin::{SetVariable, SupportFile};
use crate::request::PinRequest;

/// What one language needs.
pub(crate) struct Startup {
    /// The first is the one that is named as the knob.
    pub files: Vec<SupportFile>,
    pub variable: Option<SetVariable>,
    pub search_path: Option<&'static str>,
    pub covers: &'static str,
}

const PYTHON: &str = include_str!("../files/sitecustomize.py");
const PYTHON_REST: &str = include_str!("../files/actum_seed.py");
const NODE: &str = include_str!("../files/actum-seed.cjs");
const RUBY: &str = include_str!("../files/actum_seed.rb");
const R: &str = include_str!("../files/actum.Rprofile");

/// A language by its names, and what it needs.
struct Language {
    names: &'static [&'static str],
    make: fn(&PinRequest) -> Startup,
}

const LANGUAGES: &[Language] = &[
    Language { names: &["python"], make: python },
    Language { names: &["javascript", "typescript"], make: node },
    Language { names: &["ruby"], make: ruby },
    Language { names: &["r"], make: r },
];

/// Of every language that may be run.
pub(crate) fn files(request: &PinRequest) -> Vec<Startup> {
    let wanted = LANGUAGES.iter().filter(|one| one.names.iter().any(|name| request.may_run(name)));
    wanted.map(|one| (one.make)(request)).collect()
}

fn python(request: &PinRequest) -> Startup {
    let seeded = PYTHON.replacen("SEED = 0\n", &format!("SEED = {}\n", request.seed.value), 1);
    Startup {
        files: vec![file("sitecustomize.py", seeded), file("actum_seed.py", PYTHON_REST.to_owned())],
        variable: None,
        search_path: Some("PYTHONPATH"),
        covers: "random numbers of Python (random, NumPy, PyTorch, TensorFlow), also those without a seed, and of its child processes; deterministic operations of PyTorch",
    }
}

fn node(request: &PinRequest) -> Startup {
    let seed = request.seed.as_31_bits();
    Startup {
        files: vec![file("actum-seed.cjs", NODE.replacen("seed = 0;", &format!("seed = {seed};"), 1))],
        variable: Some(joined(request, "NODE_OPTIONS", "--require \"{support}/actum-seed.cjs\"")),
        search_path: None,
        covers: "Math.random of Node.js, in workers too",
    }
}

fn ruby(request: &PinRequest) -> Startup {
    let seed = request.seed.value;
    Startup {
        files: vec![file("actum_seed.rb", RUBY.replacen("srand(0)", &format!("srand({seed})"), 1))],
        // Found on a search path and not by its own, because the list ends a path at a space.
        variable: Some(joined(request, "RUBYOPT", "-ractum_seed")),
        search_path: Some("RUBYLIB"),
        covers: "rand, shuffle and sample of Ruby",
    }
}

fn r(request: &PinRequest) -> Startup {
    let seed = request.seed.as_31_bits();
    let profile = R.replacen("set.seed(0)", &format!("set.seed({seed})"), 1);
    let given = request.given("R_PROFILE_USER").unwrap_or_default();
    let profile = profile.replacen("given <- \"\"", &format!("given <- {}", r_text(given)), 1);
    let name = "actum.Rprofile";
    let variable = SetVariable {
        name: "R_PROFILE_USER".to_owned(),
        value: format!("{}/{name}", crate::FOLDER),
        replaces_given: !given.is_empty(),
    };
    Startup {
        files: vec![file(name, profile)],
        variable: Some(variable),
        search_path: None,
        covers: "random numbers of R; the user's profile is read after it",
    }
}

fn file(name: &str, text: String) -> SupportFile {
    SupportFile { name: name.to_owned(), bytes: text.into_bytes() }
}

/// A list of options with one more, behind the user's.
pub(crate) fn joined(request: &PinRequest, name: &str, option: &str) -> SetVariable {
    let given = request.given(name).map(str::trim).filter(|given| !given.is_empty());
    let value = given.map_or_else(|| option.to_owned(), |given| format!("{given} {option}"));
    SetVariable { name: name.to_owned(), value, replaces_given: given.is_some() }
}

/// A text as R reads it.
fn r_text(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            // Not in a path that anybody can name in a variable, but a line end would end the statement.
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pin::tests::request;
    use crate::profile::Profile;

    fn text(file: &SupportFile) -> &str {
        std::str::from_utf8(&file.bytes).unwrap()
    }

    #[test]
    fn every_file_gets_the_seed() {
        let mut request = request(Profile::Pinned);
        request.seed.value = 1_234_567;
        let startups = files(&request);
        assert_eq!(startups.len(), 4);
        for startup in startups {
            assert!(text(&startup.files[0]).contains("1234567"), "{}", startup.files[0].name);
        }
    }

    #[test]
    fn a_language_that_cannot_be_started_gets_nothing() {
        let mut request = request(Profile::Pinned);
        let names = |request: &PinRequest| {
            files(request).into_iter().map(|startup| startup.files[0].name.clone()).collect::<Vec<_>>()
        };
        request.languages = vec!["typescript".to_owned()];
        assert_eq!(names(&request), ["actum-seed.cjs"]);
        request.languages = vec!["bash".to_owned()];
        assert_eq!(names(&request).len(), 4);
        request.languages = vec!["go".to_owned()];
        assert_eq!(names(&request), [""; 0]);
    }

    #[test]
    fn what_the_user_set_is_kept() {
        let mut request = request(Profile::Pinned);
        request.given = vec![
            ("NODE_OPTIONS".to_owned(), "--max-old-space-size=100".to_owned()),
            ("R_PROFILE_USER".to_owned(), "/home/a \"b\"\\c\n".to_owned()),
        ];
        let options = node(&request).variable.unwrap();
        assert_eq!(options.value, "--max-old-space-size=100 --require \"{support}/actum-seed.cjs\"");
        assert!(options.replaces_given);
        let profile = r(&request);
        assert!(
            text(&profile.files[0]).contains(r#"given <- "/home/a \"b\"\\c\n""#),
            "{}",
            text(&profile.files[0])
        );
        assert!(!ruby(&request).variable.unwrap().replaces_given);
    }
}
