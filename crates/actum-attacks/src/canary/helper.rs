//! A Python process that holds what the standard library of Rust cannot: shared memory, queues, a terminal,
//! a socket that hands out descriptors. When its input ends, so also when the harness is killed, it takes everything
//! away, the folders of the suite included.

use crate::{AttackError, Parameters, Token, User};
use std::{
    ffi::OsString,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

const PROGRAM: &str = include_str!("helper.py");

#[derive(Debug)]
pub(super) struct Helper {
    pub(super) parameters: Parameters,
    pub(super) tokens: Vec<Token>,
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Helper {
    pub(super) fn start(user: &User, home: &Path, base: &Path) -> Result<Helper, AttackError> {
        let names = ["segment", "queue", "shared-file", "passed-descriptor"];
        let tokens = names.map(Token::fresh).into_iter().collect::<Result<Vec<_>, _>>()?;
        let mut line = user.prefix();
        line.extend(["/usr/bin/env", "python3", "-c", PROGRAM].map(OsString::from));
        line.extend([home.into(), base.into()]);
        let mut child = Command::new(&line[0])
            .args(&line[1..])
            .env_clear()
            .env("PATH", crate::observe::PATH)
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|source| AttackError::StartCanary { name: "helper", source })?;
        let silent = |heard: &str| AttackError::CanarySilent { name: "helper", heard: heard.to_owned() };
        let input = child.stdin.take().ok_or_else(|| silent("no input"))?;
        let output = BufReader::new(child.stdout.take().ok_or_else(|| silent("no output"))?);
        let mut helper =
            Helper { parameters: Parameters::default(), tokens, child, input: Some(input), output };
        // The secrets travel by pipe: in an argument they would be visible to everyone.
        let secrets: Vec<&str> = helper.tokens.iter().map(Token::text).collect();
        let said = helper.ask(&secrets.join(" "))?;
        for (name, value) in PARAMETERS.into_iter().zip(said.split(' ')) {
            helper.parameters.set(name, value);
        }
        Ok(helper)
    }

    /// One line out, one line back.
    pub(super) fn ask(&mut self, question: &str) -> Result<String, AttackError> {
        let mut answer = String::new();
        let asked =
            self.input.as_mut().map(|input| writeln!(input, "{question}").and_then(|()| input.flush()));
        let heard = self.output.read_line(&mut answer);
        match (asked, heard) {
            (Some(Ok(())), Ok(length)) if length > 0 => Ok(answer.trim().to_owned()),
            _ => Err(AttackError::CanarySilent { name: "helper", heard: answer }),
        }
    }
}

/// What the first answer holds, in order.
const PARAMETERS: [&str; 5] = ["segment_key", "queue_key", "shared_file", "terminal", "passing_path"];

impl Drop for Helper {
    fn drop(&mut self) {
        // The end of its input tells it to clean up; then it ends by itself.
        self.input = None;
        let _ = self.child.wait();
    }
}
