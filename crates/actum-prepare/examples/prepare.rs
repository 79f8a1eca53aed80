//! Prepares one environment as the door does, for tests and measurements.
//!
//! `prepare < WISH`, where the wish is a JSON object: `cache`, `python`, `requirements`, and what else [`Wish`] has. Prints a
//! line of JSON for each stage, and one for what came of it. Ends with 0, or with the code that goes with the error.

use actum_model::{Bytes, Limits, Profile, Span, Tier};
use actum_prepare::scout::{Sought, pick, seek};
use actum_prepare::{
    Builds, Carrier, Interpreter, Kit, Newest, NodeProject, Packages, PrepareError, Prepared, Reach, Stage,
    Wanted, WantedNode, ask, prepare, prepare_node,
};
use actum_sandbox::{
    Machine, Nowhere, Request, Sandboxes, Start, Streams, TrustedTool, Variable, Warden, Watching,
};
use rustix::event::{EventfdFlags, eventfd};
use rustix::fd::AsFd;
use serde::Deserialize;
use serde_json::{Value, json};
use std::error::Error;
use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Deserialize)]
struct Wish {
    cache: PathBuf,
    python: PathBuf,
    #[serde(default)]
    requirements: Vec<String>,
    #[serde(default)]
    constraints: Vec<String>,
    #[serde(default)]
    at: Option<String>,
    #[serde(default)]
    older_than: Option<u32>,
    #[serde(default)]
    build: bool,
    #[serde(default)]
    data: Vec<(String, String, String)>,
    #[serde(default)]
    index: Option<String>,
    #[serde(default)]
    registry: Option<String>,
    #[serde(default)]
    deny: Vec<String>,
    #[serde(default)]
    wheels: Option<PathBuf>,
    #[serde(default)]
    offline: bool,
    #[serde(default)]
    uv: Vec<PathBuf>,
    #[serde(default)]
    variables: Vec<(OsString, OsString)>,
    /// Packages of Node instead, and the programs to prepare them with.
    #[serde(default)]
    node: Option<(PathBuf, PathBuf, Vec<String>)>,
    #[serde(default)]
    project: Option<(String, Option<String>)>,
    /// Code to run in it afterwards, confined and without a network.
    #[serde(default)]
    then: Option<String>,
    /// Package, module and name: which release has it, in place of preparing anything.
    #[serde(default)]
    seek: Option<(String, String, String)>,
    /// Somebody has had enough after so many milliseconds.
    #[serde(default)]
    cancel_after: Option<u64>,
    /// Prepare this often, to measure.
    #[serde(default)]
    again: u32,
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    // First of all, while this process has one thread.
    let warden = Warden::fork()?;
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let wish: Wish = serde_json::from_str(&text)?;
    let path = wish.variables.iter().find(|(name, _)| name == "PATH");
    let path = path.map_or_else(|| OsString::from("/usr/bin:/bin"), |(_, value)| value.clone());
    std::fs::create_dir_all(&wish.cache)?;
    let attempt = request(&wish);
    let places = attempt.tool_places(&wish.cache);
    let sandboxes = Sandboxes::open(warden, Machine::survey(&path, None, places.clone()), Tier::N)?;
    let uv: Vec<TrustedTool> = wish.uv.iter().filter_map(|path| places.tool(path).ok()).collect();
    let packages = Packages {
        index: wish.index.clone(),
        registry: wish.registry.clone(),
        wheels: wish.wheels.clone(),
        reach: if wish.offline { Reach::Offline } else { Reach::Online },
        ..Packages::default()
    };
    let cancel = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::SEMAPHORE | EventfdFlags::NONBLOCK)?;
    if let Some(after) = wish.cancel_after {
        let cancel = cancel.try_clone()?;
        std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_millis(after));
            let _ = rustix::io::write(&cancel, &1_u64.to_ne_bytes());
        });
    }
    let rules = actum_prepare::needs::Packages { deny: wish.deny.clone(), ..Default::default() };
    let kit = Kit {
        sandboxes: &sandboxes,
        attempt: &attempt,
        cache: &wish.cache,
        packages: &packages,
        uv: &uv,
        places: &places,
        judge: &rules,
        cancel: Some(cancel.as_fd()),
    };
    let outcome = carry(&wish, &kit);
    let (line, code) = match outcome {
        Ok(line) => (line, actum_model::ExitCode::SUCCESS),
        Err(error) => (refusal(&error), error.exit_code()),
    };
    // The folder that the program was started in, and what it left there.
    let _ = std::fs::remove_dir_all(&attempt.workspace);
    say(&line)?;
    Ok(ExitCode::from(code))
}

fn carry(wish: &Wish, kit: &Kit<'_>) -> Result<Value, PrepareError> {
    if let Some(node) = &wish.node {
        return carry_node(wish, kit, node);
    }
    let python = ask(kit, &wish.python)?;
    let Some(interpreter) = python else {
        return Err(PrepareError::Interpreter { path: wish.python.clone() });
    };
    if let Some(seek) = &wish.seek {
        return sought(seek, kit, interpreter);
    }
    let carrier = |(package, path, target): &(String, String, String)| Carrier {
        package: package.clone(),
        path: path.clone(),
        target: target.clone(),
    };
    let wanted = Wanted {
        constraints: wish.constraints.clone(),
        newest: match (&wish.at, wish.older_than) {
            (Some(moment), _) => Newest::At(moment.clone()),
            (None, Some(days)) => Newest::OlderThan(days),
            (None, None) => Newest::Any,
        },
        builds: if wish.build { Builds::Confined } else { Builds::Refused },
        data: wish.data.iter().map(carrier).collect(),
        ..Wanted::new(interpreter, wish.requirements.clone())
    };
    let mut tell = |stage: Stage| {
        let _ = say(&json!({ "stage": format!("{stage:?}") }));
    };
    let mut prepared = prepare(&wanted, kit, &mut tell)?;
    let first = prepared.took;
    let mut took: Vec<f64> = Vec::new();
    for _ in 0..wish.again {
        let python =
            ask(kit, &wish.python)?.ok_or_else(|| PrepareError::Interpreter { path: wish.python.clone() })?;
        prepared = prepare(&Wanted { interpreter: python, ..wanted.clone() }, kit, &mut |_| {})?;
        took.push(prepared.took.0.as_secs_f64());
    }
    let ran = wish.then.as_deref().map(|code| run(kit, &prepared, &["-c", code]));
    Ok(told(&prepared, first, took, ran))
}

fn carry_node(
    wish: &Wish,
    kit: &Kit<'_>,
    (node, npm, packages): &(PathBuf, PathBuf, Vec<String>),
) -> Result<Value, PrepareError> {
    let project = wish.project.clone().map(|(package, lock)| NodeProject { package, lock });
    let tool = |path: &PathBuf| kit.places.tool(path);
    let refused = |why| PrepareError::Untrusted { name: "npm".to_owned(), refused: Some(why) };
    let (node, npm) = (tool(node).map_err(refused)?, tool(npm).map_err(refused)?);
    let packages = packages.clone();
    let wanted = WantedNode { node, npm, packages, at: wish.at.clone(), project };
    let mut tell = |stage: Stage| {
        let _ = say(&json!({ "stage": format!("{stage:?}") }));
    };
    let prepared = prepare_node(&wanted, kit, &mut tell)?;
    let ran = wish.then.as_deref().map(|code| run(kit, &prepared, &["--input-type=module", "-e", code]));
    Ok(told(&prepared, prepared.took, Vec::new(), ran))
}

fn told(prepared: &Prepared, first: Span, took: Vec<f64>, ran: Option<Value>) -> Value {
    let packages: Vec<String> =
        prepared.packages.iter().map(|one| format!("{}=={}", one.name, one.version)).collect();
    json!({
        "key": prepared.key, "folder": prepared.folder, "interpreter": prepared.interpreter, "packages": packages,
        "tool": prepared.tool, "lock": prepared.lock, "cached": prepared.cached, "took": first.0.as_secs_f64(), "again": took,
        "notes": prepared.notes, "ran": ran,
    })
}

fn sought(
    (package, module, name): &(String, String, String),
    kit: &Kit<'_>,
    python: Interpreter,
) -> Result<Value, PrepareError> {
    let sought = Sought {
        package: package.clone(),
        module: module.clone(),
        name: Some(name.clone()),
        keyword: None,
        below: None,
    };
    let scouted = seek(&sought, kit, &python, &mut |_| {})?;
    let picked = scouted.as_ref().and_then(|scouted| scouted.found.as_ref()).map(|found| {
        let pick = pick(&sought, found, &[python.version], python.version);
        json!({ "requirement": pick.requirement, "newest": pick.newest, "fits": pick.interpreter.is_some() })
    });
    Ok(json!({ "ended": scouted.map(|scouted| scouted.ended), "pick": picked }))
}

fn refusal(error: &PrepareError) -> Value {
    let trouble = error.trouble().map(|trouble| trouble.word());
    let source = Error::source(error).map(ToString::to_string);
    json!({
        "error": error.to_string(), "trouble": trouble, "names": error.names(), "said": error.said(),
        "hint": error.hint(), "source": source,
    })
}

/// Runs a line of code in the environment, as a run would: what was granted, and nothing else.
fn run(kit: &Kit<'_>, prepared: &Prepared, words: &[&str]) -> Value {
    let mut request = kit.attempt.clone();
    let words = words.iter().map(OsString::from);
    request.command = [prepared.interpreter.clone().into_os_string()].into_iter().chain(words).collect();
    request.policy.grants.clone_from(&prepared.grants);
    request.granted_variables =
        prepared.variables.iter().map(|(name, value)| Variable::Set(name.clone(), value.clone())).collect();
    let told = || -> Result<Value, Box<dyn Error>> {
        let (stdout, inside) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
        let nothing = std::fs::File::open("/dev/null")?;
        let streams = Streams { stdin: nothing.as_fd(), stdout: inside.as_fd(), stderr: inside.as_fd() };
        let Start::Started(mut attempt) = kit.sandboxes.start(&request, streams)? else {
            return Ok(Value::Null);
        };
        drop(inside);
        let reader = std::thread::spawn(move || {
            let mut text = String::new();
            std::fs::File::from(stdout).read_to_string(&mut text).map(|_| text)
        });
        let ended = attempt.supervise(Watching::default(), &mut Nowhere)?;
        kit.sandboxes.forget(&attempt);
        let printed = reader.join().map_err(|_| "the reader broke")??;
        Ok(json!({ "ending": ended.ending, "printed": printed }))
    };
    told().unwrap_or_else(|error| json!({ "error": error.to_string() }))
}

fn request(wish: &Wish) -> Request {
    // The program that is run afterwards starts in it. In the cache: that goes away even where this process is killed.
    let nowhere = wish.cache.join(format!("start-{}", std::process::id()));
    let _ = std::fs::create_dir_all(&nowhere);
    Request {
        policy: Profile::Default.policy(),
        limits: Limits {
            wall: Span::seconds(120),
            cpu: Span::seconds(120),
            memory: Bytes::gib(2),
            processes: 256,
            descriptors: 1024,
            file_size: Bytes::gib(1),
            disk: Bytes::mib(256),
            output: Bytes::mib(16),
        },
        grace: Span::default(),
        terminal: None,
        workspace: nowhere.clone(),
        folder: nowhere,
        command: Vec::new(),
        variables: wish.variables.clone(),
        granted_variables: Vec::new(),
        gate_variables: Vec::new(),
        layers: wish.cache.join("layers"),
        home: None,
        layer: None,
        forwards: Vec::new(),
        shown_at: None,
        listeners: Vec::new(),
        written: None,
        searched: Vec::new(),
        hidden: vec![wish.cache.clone()],
        stores: Default::default(),
    }
}

fn say(line: &Value) -> std::io::Result<()> {
    let mut screen = std::io::stdout().lock();
    writeln!(screen, "{line}")?;
    screen.flush()
}
