//! Builds the whole command line of an attempt: wrappers, user, runner, program, parameters.

use super::{Cast, PATH, Scene, runner};
use crate::{AttackError, Language, Wrap, canary::SECRET_VARIABLE, runner::Start};
use std::{ffi::OsString, process::Command};

const PYTHON_PRELUDE: &str = include_str!("../../attempts/prelude.py");
const SHELL_PRELUDE: &str = include_str!("../../attempts/prelude.sh");

const JAVASCRIPT_PRELUDE: &str = include_str!("../../attempts/prelude.js");

/// Puts what follows on a fresh terminal and copies what it shows.
const ON_A_TERMINAL: &str = "import pty, sys\npty.spawn(sys.argv[1:])\n";

/// Leaves descriptor 9 (a folder, argv[1]) and 8 (a connected socket, port argv[2]) open in what follows.
const WITH_A_LEAK: &str = "\
import os, socket, sys
os.dup2(os.open(sys.argv[1], os.O_RDONLY), 9)
peer = socket.create_connection(('127.0.0.1', int(sys.argv[2])))
os.dup2(peer.fileno(), 8)
os.execvp(sys.argv[3], sys.argv[3:])
";

pub(super) fn build(scene: &Scene<'_>, cast: &Cast<'_>) -> Result<Command, AttackError> {
    let line = line(scene, cast)?;
    let mut command = Command::new(&line[0]);
    command.args(&line[1..]).current_dir(&cast.workspace.path).env_clear();
    command.envs(variables(scene, cast));
    Ok(command)
}

fn line(scene: &Scene<'_>, cast: &Cast<'_>) -> Result<Vec<OsString>, AttackError> {
    let mut line = Vec::new();
    if cast.attempt.header.wraps.contains(&Wrap::Terminal) {
        line.extend(["python3", "-c", ON_A_TERMINAL].map(OsString::from));
    }
    line.extend(scene.user.prefix());
    if cast.attempt.header.wraps.contains(&Wrap::Leak) {
        line.extend(["python3", "-c", WITH_A_LEAK].map(OsString::from));
        line.push(scene.canaries.leaked_folder().into());
        line.push(scene.canaries.tcp_port().to_string().into());
    }
    let port = scene.canaries.tcp_port().to_string();
    let net: Vec<String> =
        cast.attempt.header.net.iter().map(|grant| grant.replace("{tcp}", &port)).collect();
    line.extend(runner(scene).prefix(&Start {
        workspace: &cast.workspace.path,
        report: &cast.report,
        limits: &cast.limits,
        profile: &cast.attempt.header.profile,
        net: &net,
    }));
    line.extend(program(cast)?);
    Ok(line)
}

/// The program is handed over in its arguments, so that nothing of the host needs to be mounted for it.
fn program(cast: &Cast<'_>) -> Result<Vec<OsString>, AttackError> {
    let text = cast.attempt.text;
    let mut parameters = cast.parameters.clone();
    let more = hostile_arguments(cast);
    parameters.set("hostile", more.join("\u{1f}"));
    let mut line: Vec<OsString> = match cast.attempt.language {
        Language::Python => ["python3", "-c", &format!("{PYTHON_PRELUDE}\n{text}"), &parameters.as_json()?]
            .map(OsString::from)
            .into(),
        Language::JavaScript => {
            ["node", "-e", &format!("{JAVASCRIPT_PRELUDE}\n{text}"), &parameters.as_json()?]
                .map(OsString::from)
                .into()
        }
        Language::Shell => {
            let source = format!("{SHELL_PRELUDE}\n{text}");
            ["sh", "-c", &source, "sh"].map(OsString::from).into_iter().chain(words(&parameters)).collect()
        }
        Language::C => std::iter::once("./attempt".into()).chain(words(&parameters)).collect(),
    };
    line.extend(more.into_iter().map(OsString::from));
    Ok(line)
}

fn words(parameters: &crate::Parameters) -> impl Iterator<Item = OsString> {
    parameters.as_words().map(OsString::from)
}

/// What a shell would act on; each would leave the planted file.
fn hostile_arguments(cast: &Cast<'_>) -> Vec<String> {
    if !cast.attempt.header.wraps.contains(&Wrap::HostileArguments) {
        return Vec::new();
    }
    let planted = format!(".actum-planted-{}", cast.marker);
    let forms = [
        "\"; touch ~/{}; \"",
        "'; touch ~/{}; '",
        "$(touch ~/{})",
        "`touch ~/{}`",
        "two\nlines",
        "--",
        "-c",
        "",
    ];
    forms.map(|form| form.replace("{}", &planted)).into()
}

/// The environment of the runner: what a shell of this user has, and the secrets that must not go in.
fn variables(scene: &Scene<'_>, cast: &Cast<'_>) -> Vec<(OsString, OsString)> {
    let home = scene.canaries.home();
    let agent = home.join("agent.sock");
    let mut variables: Vec<(OsString, OsString)> = vec![
        ("PATH".into(), PATH.into()),
        ("HOME".into(), scene.user.home.clone().into()),
        ("USER".into(), scene.user.name.clone().into()),
        ("LOGNAME".into(), scene.user.name.clone().into()),
        ("LANG".into(), "C.UTF-8".into()),
        ("TERM".into(), "xterm-256color".into()),
        (SECRET_VARIABLE.into(), scene.canaries.variable().into()),
        ("SSH_AUTH_SOCK".into(), agent.clone().into()),
        ("DBUS_SESSION_BUS_ADDRESS".into(), format!("unix:path={}", agent.display()).into()),
    ];
    if cast.attempt.header.wraps.contains(&Wrap::HostileVariables) {
        let folder = home.join("python-path");
        variables.push(("PYTHONPATH".into(), folder.clone().into()));
        variables.push(("BASH_ENV".into(), folder.join("bash-env").into()));
        variables.push(("NODE_OPTIONS".into(), "--no-warnings".into()));
        variables.push(("GIT_SSH_COMMAND".into(), "false".into()));
    }
    variables.extend(scene.options.environment.iter().cloned());
    variables
}
