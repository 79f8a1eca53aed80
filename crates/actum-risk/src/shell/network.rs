//! Commands that send: to the web, to another machine, to a service.

use super::super::found::{Found, Weight};
use super::command::Command;
use actum_model::OperationKind::{NetworkWrite, Publish};

pub(super) fn look(name: &str, command: &Command<'_>) -> Option<Found> {
    let sends = match name {
        "curl" => curl(command),
        "wget" => {
            ["post-data", "post-file", "body-data", "body-file"].iter().any(|long| command.has('\0', long))
                || command.value("", "--method").is_some_and(is_writing)
        }
        "http" | "https" | "xh" => command.operands().take(1).any(|word| is_writing(&word.text)),
        "scp" | "sftp" | "ftp" | "lftp" | "ssh" | "telnet" | "nc" | "ncat" | "netcat" | "socat" | "mail"
        | "mailx" | "sendmail" | "mutt" | "rclone" | "ansible" | "ansible-playbook" => {
            command.operands().next().is_some()
        }
        "rsync" => command.operands().any(|word| word.text.contains(':') && !word.text.starts_with('/')),
        "gh" | "glab" => return forge(command),
        "aws" | "gcloud" | "az" | "kubectl" | "oc" | "helm" | "terraform" | "tofu" | "pulumi" | "heroku"
        | "fly" | "flyctl" | "vercel" | "netlify" | "gsutil" | "doctl" | "s3cmd" | "mc" => {
            return service(command);
        }
        _ => false,
    };
    sends.then(|| command.plain(NetworkWrite))
}

fn curl(command: &Command<'_>) -> bool {
    let data =
        ["data", "data-raw", "data-binary", "data-urlencode", "form", "json", "upload-file", "form-string"];
    // Short options are joined: -sSd, -XPOST. Only these letters carry a value, so one of them ends the group.
    let short = command.arguments().iter().any(|word| {
        let Some(letters) = word.text.strip_prefix('-').filter(|rest| !rest.starts_with('-')) else {
            return false;
        };
        let first = letters.chars().find(|c| "dFTXoHuAebrmxCKYyzEtPQcwD".contains(*c));
        matches!(first, Some('d' | 'F' | 'T'))
    });
    let method = command.value("-X", "--request").or_else(|| joined_method(command));
    method.map_or_else(|| short || data.iter().any(|long| command.has('\0', long)), is_writing)
}

fn joined_method<'a>(command: &Command<'a>) -> Option<&'a str> {
    command.arguments().iter().enumerate().find_map(|(index, word)| {
        let letters = word.text.strip_prefix('-').filter(|rest| !rest.starts_with('-'))?;
        let (flags, value) = letters.split_once('X')?;
        let plain = flags.chars().all(|c| "sSfLkvign46".contains(c));
        let next = command.arguments().get(index + 1).map(|word| word.text.as_str());
        plain.then_some(if value.is_empty() { next? } else { value })
    })
}

/// Whether an HTTP method changes what is there.
pub(in super::super) fn is_writing(method: &str) -> bool {
    ["POST", "PUT", "PATCH", "DELETE"].iter().any(|one| method.eq_ignore_ascii_case(one))
}

fn forge(command: &Command<'_>) -> Option<Found> {
    let writes =
        ["create", "merge", "close", "delete", "edit", "comment", "upload", "review", "set", "reopen", "run"];
    let api = command.operand(0) == "api" && command.value("-X", "--method").is_some_and(is_writing);
    (api || writes.contains(&command.operand(1))).then(|| command.plain(Publish))
}

/// The verbs with which tools of clouds and clusters change something.
fn service(command: &Command<'_>) -> Option<Found> {
    const WRITES: &[&str] = &[
        "apply",
        "create",
        "deploy",
        "install",
        "upgrade",
        "patch",
        "replace",
        "scale",
        "set",
        "cp",
        "mv",
        "sync",
        "put",
        "import",
        "up",
        "edit",
        "rollout",
        "run",
        "exec",
        "update",
        "put-object",
        "publish",
        "label",
        "annotate",
    ];
    const DESTROYS: &[&str] = &[
        "delete",
        "destroy",
        "rm",
        "rb",
        "remove",
        "uninstall",
        "terminate-instances",
        "drain",
        "down",
        "purge",
    ];
    let verbs = || command.operands().take(4).map(|word| word.text.as_str());
    if verbs().any(|verb| DESTROYS.contains(&verb) || verb.starts_with("delete-")) {
        return Some(command.found(NetworkWrite, Weight::Grave, super::super::found::Reach::Unknown));
    }
    verbs().any(|verb| WRITES.contains(&verb)).then(|| command.plain(NetworkWrite))
}
