//! The folder in which environments are measured: programs, caches, and the commands of each series.

use super::{BARE, BUILD_COMPILE, BUILD_UV, CACHED, IMPORT_PLAIN, SCRIPT, TRIVIAL};
use crate::bench::measurer;
use crate::check::metadata;
use crate::clock::Stopwatch;
use crate::command::{self, Command};
use crate::error::Error;
use crate::say;
use crate::test::python;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

const HEADER: &str = "# /// script\n# dependencies = [\"numpy\", \"pandas\"]\n# ///\n";
/// What importing costs the processor, which other work on the machine does not change.
const IMPORT: &str = "import time\nimport numpy, pandas\nprint(time.process_time())\n";

pub struct Place {
    folder: PathBuf,
    actum: String,
    uv: String,
    python: String,
}

impl Place {
    /// Makes the folder, and fills every cache that a series is to find warm. None where something is not here.
    pub fn make() -> Result<Option<Place>, Error> {
        if !measurer::build("actum", "actum")? {
            return Ok(None);
        }
        let own = format!("{}/uv", python::programs()?);
        let uv = if fs::exists(&own).unwrap_or(false) { own } else { "uv".to_owned() };
        if uv == "uv" && !command::is_on_path("uv") {
            say::line("uv is not here, so there is nothing to compare with: cargo xtask test installs it");
            return Ok(None);
        }
        // A shim in front of the interpreter would be counted as Python.
        let asked = Command::new("python3", &["-c", "import sys; print(sys.executable)"]).output()?;
        let folder = std::env::temp_dir().join(format!("actum-environment-{}", std::process::id()));
        let place = Place {
            actum: format!("{}/release/actum", metadata::target_folder()?),
            uv,
            python: asked.trim().to_owned(),
            folder,
        };
        place.write()?;
        for name in super::STARTS {
            place.start(name)?;
        }
        place.run(
            &place.uv,
            &["pip", "compile", "--quiet", "-o", &place.path("lock.txt"), &place.path("wanted.txt")],
        )?;
        for name in [BUILD_UV, BUILD_COMPILE] {
            place.build(name)?;
        }
        Ok(Some(place))
    }

    fn write(&self) -> Result<(), Error> {
        let cannot_write = |source| Error::Write { path: self.folder.display().to_string(), source };
        fs::create_dir(&self.folder).map_err(cannot_write)?;
        let files = [
            ("trivial.py", "pass\n".to_owned()),
            ("needs.py", format!("{HEADER}pass\n")),
            ("imports.py", format!("{HEADER}{IMPORT}")),
            ("plain.py", IMPORT.to_owned()),
            ("wanted.txt", "numpy\npandas\n".to_owned()),
        ];
        for (name, text) in files {
            fs::write(self.folder.join(name), text).map_err(cannot_write)?;
        }
        self.run(
            &self.uv,
            &["lock", "--quiet", "--python", &self.python, "--script", &self.path("needs.py")],
        )?;
        Ok(())
    }

    /// One start of a series.
    pub fn start(&self, series: &str) -> Result<Duration, Error> {
        let (trivial, needs) = (self.path("trivial.py"), self.path("needs.py"));
        let stopwatch = Stopwatch::start();
        match series {
            BARE => self.run(&self.python, &[&trivial])?,
            TRIVIAL => self.actum(&trivial)?,
            CACHED => self.actum(&needs)?,
            SCRIPT => {
                self.run(&self.uv, &["run", "--quiet", "--python", &self.python, "--script", &needs])?
            }
            _ => {
                let with = [
                    "run",
                    "--quiet",
                    "--no-project",
                    "--python",
                    &self.python,
                    "--with",
                    "numpy",
                    "--with",
                    "pandas",
                ];
                self.run(&self.uv, &[&with[..], &["python", &trivial]].concat())?
            }
        };
        Ok(stopwatch.elapsed())
    }

    /// One build of a series; what it builds was taken away before.
    pub fn build(&self, series: &str) -> Result<Duration, Error> {
        let (made, lock) = (self.path("made"), self.path("lock.txt"));
        let inside = format!("{made}/bin/python");
        if series == BUILD_UV {
            let _ = fs::remove_dir_all(&made);
        }
        if series == super::BUILD {
            self.forget();
        }
        let stopwatch = Stopwatch::start();
        match series {
            BUILD_UV => {
                self.run(&self.uv, &["venv", "--quiet", "--python", &self.python, &made])?;
                self.run(&self.uv, &["pip", "sync", "--quiet", "--python", &inside, &lock])?;
            }
            BUILD_COMPILE => {
                // An end other than zero means that some file of a package is for another Python.
                let _ = self.run(&inside, &["-m", "compileall", "-q", "-j", "0", &format!("{made}/lib")]);
            }
            _ => {
                self.actum(&self.path("needs.py"))?;
            }
        }
        Ok(stopwatch.elapsed())
    }

    /// One import of a series, as the processor counts it.
    pub fn import(&self, series: &str) -> Result<Duration, Error> {
        let told = match series {
            IMPORT_PLAIN => {
                let nowhere = format!("pycache_prefix={}", self.path("nowhere"));
                self.run(&self.path("made/bin/python"), &["-B", "-X", &nowhere, &self.path("plain.py")])?
            }
            _ => self.actum(&self.path("imports.py"))?,
        };
        let seconds = told.trim().parse().map_err(|_| Error::Malformed {
            what: "what an import took".to_owned(),
            reason: told.trim().to_owned(),
        })?;
        Ok(Duration::from_secs_f64(seconds))
    }

    /// Takes away what was built, and leaves what was fetched.
    fn forget(&self) {
        let environments = self.folder.join("cache/actum/environments");
        for layout in fs::read_dir(environments).into_iter().flatten().flatten() {
            for name in ["kept", "wanted", "workshop/bytecode"] {
                let _ = fs::remove_dir_all(layout.path().join(name));
            }
        }
    }

    fn actum(&self, program: &str) -> Result<String, Error> {
        self.run(&self.actum, &["run", "--quiet", "--approval", "never", program])
    }

    fn run(&self, program: &str, words: &[&str]) -> Result<String, Error> {
        let command = Command::new(program, words).with("UV_CACHE_DIR", &self.path("uv"));
        command.with("XDG_CACHE_HOME", &self.path("cache")).with("ACTUM_STORE", &self.path("store")).output()
    }

    fn path(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}
