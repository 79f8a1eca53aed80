//! A line for a shell, read strictly: where something is not understood there is no result.
//!
//! Used to decide what printed an output. Functions, substitutions, subshells, here-documents, loops and background jobs are not
//! understood on purpose: behind each of them anything can print anything. Pure. Start at [`CommandLine::parse`].

/// Pipelines in the order in which they are written, whatever connects them (`;`, `&&`, `||`, a new line).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandLine {
    pub pipelines: Vec<Vec<SimpleCommand>>,
    /// How each pipeline follows the one before it; the first has [`Follows::Always`].
    pub follows: Vec<Follows>,
}

/// When a pipeline is started.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Follows {
    /// After `;` or a new line.
    #[default]
    Always,
    /// After `&&`.
    IfSucceeded,
    /// After `||`.
    IfFailed,
}

/// One command with its words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SimpleCommand {
    /// `A=b` before the command.
    pub assignments: Vec<(String, String)>,
    pub words: Vec<CommandWord>,
    /// Its stdout goes somewhere else than to the line's.
    pub stdout_elsewhere: bool,
    /// Its stderr goes to a file or nowhere, and not to the line's stdout or stderr.
    pub stderr_elsewhere: bool,
    /// Its stdin is a file, and not what the command before it prints.
    pub stdin_elsewhere: bool,
    /// A redirection of it makes or changes a file.
    pub writes_file: bool,
}

/// A word without its quotes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommandWord {
    pub text: String,
    /// It has an expansion or a pattern in it, which only a shell resolves.
    pub dynamic: bool,
}

/// Words with which a shell begins something else than a simple command, or that change what words mean.
const RESERVED: [&str; 25] = [
    "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "select",
    "function", "{", "}", "!", "[[", "]]", "coproc", "alias", "eval", "trap", "enable", "builtin",
];

/// A redirection there changes no file.
const NOWHERE: &str = "/dev/null";

/// Longer lines are programs.
const LONGEST: usize = 16 << 10;

impl CommandLine {
    /// Nothing where the line has more in it than simple commands in pipelines and lists.
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() > LONGEST {
            return None;
        }
        let mut reader = Reader {
            rest: text.chars().peekable(),
            pipelines: vec![vec![SimpleCommand::default()]],
            follows: vec![Follows::Always],
        };
        reader.read()?;
        let (mut pipelines, mut follows) = (Vec::new(), Vec::new());
        // A new line behind `&&` continues the list.
        let mut open = Follows::Always;
        for (pipeline, how) in reader.pipelines.into_iter().zip(reader.follows) {
            let how = if how == Follows::Always { open } else { how };
            match pipeline.as_slice() {
                [only] if only.is_empty() => open = how,
                commands if commands.iter().any(SimpleCommand::is_empty) => return None,
                _ => {
                    pipelines.push(pipeline);
                    follows.push(how);
                    open = Follows::Always;
                }
            }
        }
        Some(Self { pipelines, follows })
    }

    /// A command whose words are known.
    pub fn of_words(words: &[String]) -> Self {
        let word = |text: &String| CommandWord { text: text.clone(), dynamic: false };
        let simple = SimpleCommand { words: words.iter().map(word).collect(), ..SimpleCommand::default() };
        Self { pipelines: vec![vec![simple]], follows: vec![Follows::Always] }
    }
}

impl SimpleCommand {
    fn is_empty(&self) -> bool {
        self.words.is_empty() && self.assignments.is_empty()
    }

    /// The name of its program without its folder; empty where a shell resolves it.
    pub fn program(&self) -> &str {
        match self.words.first() {
            Some(word) if !word.dynamic => word.text.rsplit('/').next().unwrap_or_default(),
            Some(_) | None => "",
        }
    }

    /// The name of its program where it is looked up as usual or in a folder of the system; empty for every other path.
    pub fn usual_name(&self) -> &str {
        match self.words.first() {
            Some(word) if !word.dynamic => {
                let name = ["/usr/bin/", "/bin/"].iter().find_map(|folder| word.text.strip_prefix(folder));
                Some(name.unwrap_or(&word.text)).filter(|name| !name.contains('/')).unwrap_or_default()
            }
            Some(_) | None => "",
        }
    }

    /// The line of `sh -c LINE`.
    pub fn shell_line(&self) -> Option<&str> {
        let is_shell = ["sh", "bash", "dash", "zsh", "ksh"].contains(&self.program());
        let is_command = |word: &CommandWord| {
            word.text.starts_with('-') && !word.text.starts_with("--") && word.text.ends_with('c')
        };
        let at = self.words.iter().position(is_command).filter(|_| is_shell)?;
        self.words.get(at + 1).map(|word| word.text.as_str())
    }

    /// Without programs that start another one: `timeout 60 env A=b pytest` is `pytest` with an assignment.
    #[must_use]
    pub fn without_wrappers(&self) -> Self {
        let mut simple = self.clone();
        loop {
            let before = simple.words.len();
            simple = simple.without_wrapper();
            if simple.words.len() >= before || simple.words.is_empty() {
                return simple;
            }
        }
    }

    /// Itself where it is no wrapper, or where one of the wrapper's words is not known.
    fn without_wrapper(mut self) -> Self {
        let Some(behind) = self.behind_wrapper() else { return self };
        let is_env = self.usual_name() == "env";
        let mut rest = self.words.split_off(behind).into_iter().peekable();
        if is_env {
            while let Some((name, value)) = rest.peek().and_then(CommandWord::assignment) {
                self.assignments.push((name.to_owned(), value.to_owned()));
                rest.next();
            }
        }
        let words: Vec<CommandWord> = rest.collect();
        Self { words, ..self }
    }

    /// Where the words of the inner command begin. Only options that change nothing but time, signals, priority and buffering are
    /// known: others choose the arguments, the folder or the text that is printed.
    fn behind_wrapper(&self) -> Option<usize> {
        let words: Vec<&str> = self.words.iter().map(|word| word.text.as_str()).collect();
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let is_time = |text: &str| {
            let number = text.strip_suffix(['s', 'm', 'h', 'd']).unwrap_or(text);
            is_number(number.replacen('.', "", 1).as_str())
        };
        let is_signal =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let is_buffer = |text: &str| text == "L" || is_number(text);
        let is_nice = |text: &str| is_number(text.strip_prefix('-').unwrap_or(text));
        let mut at = 1;
        loop {
            let rest = words.get(at..)?;
            let taken = match (self.usual_name(), rest) {
                ("timeout", ["--foreground" | "--preserve-status", ..]) => 1,
                ("timeout", ["-k" | "--kill-after", time, ..]) if is_time(time) => 2,
                ("timeout", ["-s" | "--signal", signal, ..]) if is_signal(signal) => 2,
                ("timeout", [word, ..]) if word.strip_prefix("--kill-after=").is_some_and(is_time) => 1,
                ("timeout", [word, ..]) if word.strip_prefix("--signal=").is_some_and(is_signal) => 1,
                ("timeout", [time, ..]) if is_time(time) => return self.from(at + 1),
                ("nice", ["-n", value, ..]) if is_nice(value) => 2,
                ("nice", [word, ..]) if word.strip_prefix('-').is_some_and(is_number) => 1,
                ("stdbuf", [option, ..])
                    if ["-i", "-o", "-e"]
                        .iter()
                        .any(|one| option.strip_prefix(one).is_some_and(is_buffer)) =>
                {
                    1
                }
                ("time", ["-p", ..]) => 1,
                ("env" | "nice" | "stdbuf" | "time" | "nohup" | "command" | "exec", _) => {
                    return self.from(at);
                }
                _ => return None,
            };
            at += taken;
        }
    }

    /// A place where a command can begin: neither an option nor the end.
    fn from(&self, at: usize) -> Option<usize> {
        let is_env = self.usual_name() == "env";
        let first = self.words.iter().skip(at).find(|word| !is_env || word.assignment().is_none());
        let is_command = first.is_some_and(|word| !word.text.starts_with('-'));
        is_command.then_some(at)
    }
}

impl CommandWord {
    /// `NAME=value`
    fn assignment(&self) -> Option<(&str, &str)> {
        self.text.split_once('=').filter(|(name, _)| is_name(name))
    }
}

/// Programs that start the one behind their words.
const WRAPPERS: [&str; 10] =
    ["env", "timeout", "nice", "stdbuf", "time", "nohup", "command", "exec", "ionice", "setarch"];

/// A text as one word of a shell, between single quotes.
pub fn single_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Whether what a line prints may be a text that was there before: by `echo`, from a file, or changed on its way. Such a text is no
/// evidence of what a program found out. A line that is not understood is searched for such commands.
pub fn shows_text(line: &str) -> bool {
    let Some(read) = CommandLine::parse(line) else { return names_printer(line) };
    read.pipelines.iter().any(|pipeline| {
        pipeline.iter().map(SimpleCommand::without_wrappers).enumerate().any(|(at, command)| {
            let program = command.program();
            if is_harmless_echo(&command) || command.stdout_elsewhere {
                return false;
            }
            if let Some(line) = command.shell_line() {
                return shows_text(line);
            }
            // With an option that is not known it may print anything.
            if WRAPPERS.contains(&program) || at > 0 && command.stdin_elsewhere {
                return true;
            }
            match at {
                0 => is_printer(program),
                _ => CHANGERS.contains(&program) || FILTERS.contains(&program) && reads_a_file(&command),
            }
        })
    })
}

/// Programs that print what they are given, or what a file holds: those of the base system (coreutils, diffutils, findutils, grep,
/// sed, awk, compressors, archives, editors), git, clients that fetch, and commands of the shell that print.
const PRINTERS: &str = "echo printf cat head tail less more most tac nl grep egrep fgrep zgrep rg ag sed awk gawk mawk bat jq yq yes sort \
    uniq cut paste join comm tee dd cp mv install ln tr rev fold fmt pr column expand unexpand split csplit shuf seq numfmt od xxd \
    hexdump strings base32 base64 basenc diff sdiff diff3 cmp patch find xargs git hg svn zcat bzcat xzcat zstdcat gzip gunzip bzip2 xz zstd \
    lz4 tar unzip zip cpio ar curl wget ed ex vi vim nano m4 envsubst iconv openssl gpg busybox toybox expr bc dc factor \
    date cal ls dir vdir tree stat basename dirname realpath readlink pwd whoami hostname uname tput logger figlet banner cowsay \
    which whereis read declare typeset export local readonly set env printenv alias type hash history fc mapfile readarray eval source";

/// Whether a program only prints what was there before.
pub fn is_printer(program: &str) -> bool {
    PRINTERS.split_ascii_whitespace().any(|printer| printer == program)
}

/// Programs behind others that print a part of what they read, or of a file.
const FILTERS: [&str; 16] = [
    "cat", "head", "tail", "less", "more", "tac", "nl", "grep", "egrep", "rg", "sort", "uniq", "cut", "bat",
    "jq", "yes",
];
/// Programs that print something else than they read.
const CHANGERS: [&str; 11] =
    ["echo", "printf", "sed", "awk", "gawk", "perl", "tr", "python", "python3", "ruby", "xargs"];

/// Whether a filter is given a file beside what it reads.
fn reads_a_file(command: &SimpleCommand) -> bool {
    match command.program() {
        "head" | "tail" | "cat" => !is_plain_filter(command),
        // The first is what it looks for.
        _ => command.words.iter().skip(1).filter(|word| !word.text.starts_with('-')).count() > 1,
    }
}

/// Whether a command passes on whole lines of what it reads and nothing else: `tail -5`, `head -n 3`, `cat`, `tee log`.
pub fn is_plain_filter(command: &SimpleCommand) -> bool {
    let words: Vec<&str> = command.words.iter().skip(1).map(|word| word.text.as_str()).collect();
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_count = |text: &str| is_number(text.strip_prefix(['+', '-']).unwrap_or(text));
    let is_bare = command.assignments.is_empty() && !command.stdin_elsewhere;
    if !is_bare || command.words.iter().any(|word| word.dynamic) {
        return false;
    }
    match (command.usual_name(), words.as_slice()) {
        ("cat" | "tail" | "head", []) => true,
        ("tail" | "head", ["-n" | "--lines", count]) => is_count(count),
        ("tail" | "head", [word]) => {
            let count = word.strip_prefix("--lines=").or_else(|| word.strip_prefix("-n"));
            count.map_or_else(|| word.strip_prefix('-').is_some_and(is_number), is_count)
        }
        ("tee", ["-a" | "--append", files @ ..] | files) => {
            files.iter().all(|file| !file.starts_with(['-', '~']))
        }
        _ => false,
    }
}

/// `echo done`, `echo "exit: $?"`: no number of its own, and no word that a result has.
pub fn is_harmless_echo(command: &SimpleCommand) -> bool {
    const OF_RESULTS: [&str; 10] =
        ["pass", "fail", "ok", "test", "ran", "error", "skip", "success", "accura", "score"];
    let text: Vec<&str> = command.words.iter().skip(1).map(|word| word.text.as_str()).collect();
    let text = text.join(" ").to_lowercase();
    let bare = text.replace("${pipestatus[0]}", "").replace("$?", "");
    // What a variable holds is not known.
    let is_plain = bare.is_ascii() && !bare.contains(|c: char| c.is_ascii_digit() || "$\\*[%~".contains(c));
    // A pattern stands for the names of files.
    let is_pattern = |word: &CommandWord| word.dynamic && word.text.replace("$?", "").contains(['?', '{']);
    let has_pattern =
        command.words.iter().any(|word| is_pattern(word) && !word.text.contains("${PIPESTATUS[0]}"));
    command.usual_name() == "echo"
        && is_plain
        && !has_pattern
        && !OF_RESULTS.iter().any(|word| bare.contains(word))
}

/// A crude search, for lines that are not understood.
fn names_printer(line: &str) -> bool {
    let commands = line.split(['\n', ';', '&', '|', '(', ')', '{', '}', '`']);
    let mut firsts = commands.filter_map(|command| {
        let skipped = ["then", "do", "else", "time", "command", "exec", "!"];
        command.split_whitespace().find(|word| !skipped.contains(word))
    });
    firsts.any(|word| is_printer(word.rsplit('/').next().unwrap_or(word)))
}

struct Reader<'t> {
    rest: std::iter::Peekable<std::str::Chars<'t>>,
    pipelines: Vec<Vec<SimpleCommand>>,
    follows: Vec<Follows>,
}

impl Reader<'_> {
    fn read(&mut self) -> Option<()> {
        let mut word: Option<(CommandWord, bool)> = None;
        while let Some(c) = self.rest.next() {
            match c {
                ' ' | '\t' => self.end_word(&mut word)?,
                '\n' | ';' => {
                    self.end_word(&mut word)?;
                    self.next_pipeline(Follows::Always);
                }
                '\\' => match self.rest.next()? {
                    '\n' => {}
                    next => word.get_or_insert_default().0.text.push(next),
                },
                '&' if self.rest.next_if_eq(&'&').is_some() => {
                    self.end_word(&mut word)?;
                    self.next_pipeline(Follows::IfSucceeded);
                }
                // `&> file`; a job in the background is not understood.
                '&' if self.rest.next_if_eq(&'>').is_some() => {
                    self.end_word(&mut word)?;
                    let writes_file = self.target()? != NOWHERE;
                    self.command().stdout_elsewhere = true;
                    self.command().stderr_elsewhere = true;
                    self.command().writes_file |= writes_file;
                }
                '|' if self.rest.next_if_eq(&'|').is_some() => {
                    self.end_word(&mut word)?;
                    self.next_pipeline(Follows::IfFailed);
                }
                '|' => {
                    self.rest.next_if_eq(&'&');
                    self.end_word(&mut word)?;
                    self.pipelines.last_mut()?.push(SimpleCommand::default());
                }
                '<' | '>' => self.redirect(c, &mut word)?,
                '#' if word.is_none() => while self.rest.next_if(|c| *c != '\n').is_some() {},
                '\'' => {
                    let word = &mut word.get_or_insert_default();
                    word.1 = true;
                    loop {
                        match self.rest.next()? {
                            '\'' => break,
                            c => word.0.text.push(c),
                        }
                    }
                }
                '"' => {
                    let mut inner = word.take().unwrap_or_default();
                    inner.1 = true;
                    self.double_quotes(&mut inner.0)?;
                    word = Some(inner);
                }
                '$' => {
                    let mut inner = word.take().unwrap_or_default();
                    self.expansion(&mut inner.0)?;
                    word = Some(inner);
                }
                '`' | '(' | ')' | '&' => return None,
                '*' | '?' | '[' | '~' | '{' | '}' => {
                    let word = &mut word.get_or_insert_default().0;
                    word.dynamic |= c != '~' || !word.text.is_empty();
                    word.text.push(c);
                }
                _ => word.get_or_insert_default().0.text.push(c),
            }
        }
        self.end_word(&mut word)
    }

    fn double_quotes(&mut self, word: &mut CommandWord) -> Option<()> {
        loop {
            match self.rest.next()? {
                '"' => return Some(()),
                '`' => return None,
                '$' => self.expansion(word)?,
                '\\' => match self.rest.next()? {
                    c @ ('"' | '\\' | '$' | '`') => word.text.push(c),
                    '\n' => {}
                    c => word.text.extend(['\\', c]),
                },
                c => word.text.push(c),
            }
        }
    }

    /// `$NAME`, `${NAME}`, `$?`: kept as they are written.
    fn expansion(&mut self, word: &mut CommandWord) -> Option<()> {
        word.dynamic = true;
        word.text.push('$');
        match self.rest.peek() {
            Some('(' | '\'' | '"') => None,
            Some('{') => loop {
                let c = self.rest.next()?;
                // `${x:-$(y)}`
                if matches!(c, '`' | '(' | '$') {
                    return None;
                }
                word.text.push(c);
                if c == '}' {
                    return Some(());
                }
            },
            Some(_) | None => Some(()),
        }
    }

    fn redirect(&mut self, c: char, word: &mut Option<(CommandWord, bool)>) -> Option<()> {
        let is_number = |(word, quoted): &(CommandWord, bool)| {
            !quoted && !word.text.is_empty() && word.text.bytes().all(|byte| byte.is_ascii_digit())
        };
        let descriptor = match word.take_if(|word| is_number(word)) {
            Some((number, _)) => number.text,
            None => {
                self.end_word(word)?;
                if c == '<' { "0" } else { "1" }.to_owned()
            }
        };
        if matches!(self.rest.peek(), Some('(')) || c == '<' && matches!(self.rest.peek(), Some('<' | '>')) {
            return None;
        }
        if c == '>' {
            let _ = self.rest.next_if(|c| matches!(c, '>' | '|'));
        }
        let mut is_copy = false;
        if self.rest.next_if_eq(&'&').is_some() {
            // `2>&1` leads to stdout; what leads from stdout is elsewhere.
            let mut target = String::new();
            while let Some(c) = self.rest.next_if(|c| c.is_ascii_digit() || *c == '-') {
                target.push(c);
            }
            is_copy = ["1", "2"].contains(&target.as_str());
        } else {
            let target = self.target()?;
            self.command().writes_file |= c == '>' && target != NOWHERE;
        }
        self.command().stdout_elsewhere |= c == '>' && descriptor == "1";
        self.command().stderr_elsewhere |= c == '>' && descriptor == "2" && !is_copy;
        self.command().stdin_elsewhere |= c == '<';
        (c == '<' || ["1", "2"].contains(&descriptor.as_str())).then_some(())
    }

    /// The file of a redirection.
    fn target(&mut self) -> Option<String> {
        while self.rest.next_if(|c| matches!(c, ' ' | '\t')).is_some() {}
        let mut target = String::new();
        while let Some(c) = self.rest.next_if(|c| !" \t\n;|&<>".contains(*c)) {
            if matches!(c, '`' | '(' | ')' | '$' | '\'' | '"' | '\\') {
                return None;
            }
            target.push(c);
        }
        Some(target).filter(|target| !target.is_empty())
    }

    fn command(&mut self) -> &mut SimpleCommand {
        let last = self.pipelines.last_mut().expect("there is always a pipeline");
        last.last_mut().expect("there is always a command in it")
    }

    fn next_pipeline(&mut self, how: Follows) {
        self.pipelines.push(vec![SimpleCommand::default()]);
        self.follows.push(how);
    }

    fn end_word(&mut self, word: &mut Option<(CommandWord, bool)>) -> Option<()> {
        let Some((word, quoted)) = word.take() else { return Some(()) };
        let command = self.command();
        if command.words.is_empty() {
            if let Some((name, value)) = word.assignment() {
                command.assignments.push((name.to_owned(), value.to_owned()));
                return Some(());
            }
            if !quoted && RESERVED.contains(&word.text.as_str()) {
                return None;
            }
        }
        command.words.push(word);
        Some(())
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|c: char| c.is_ascii_digit())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shape(line: &str) -> Option<Vec<Vec<String>>> {
        let shown = |command: &SimpleCommand| {
            let words: Vec<&str> = command.words.iter().map(|word| word.text.as_str()).collect();
            format!("{}{}", words.join(" "), if command.stdout_elsewhere { " >" } else { "" })
        };
        let read = CommandLine::parse(line)?;
        Some(read.pipelines.iter().map(|pipeline| pipeline.iter().map(shown).collect()).collect())
    }

    #[test]
    fn lines_that_are_understood() {
        for (line, expected) in [
            ("pytest -q", &[&["pytest -q"][..]][..]),
            ("cd x && pytest 2>&1 | tail -5", &[&["cd x"], &["pytest", "tail -5"]]),
            ("A=b pytest; echo 'it is'", &[&["pytest"], &["echo it is"]]),
            ("pytest > log 2>&1", &[&["pytest >"]]),
            ("pytest &> log", &[&["pytest >"]]),
            ("pytest >&2", &[&["pytest >"]]),
            ("pytest 2>/dev/null || true # really", &[&["pytest"], &["true"]]),
            ("set -e\npytest \\\n -q\n", &[&["set -e"], &["pytest -q"]]),
            ("echo \"exit: $?\"", &[&["echo exit: $?"]]),
            ("pytest < /dev/null", &[&["pytest"]]),
        ] {
            let expected: Vec<Vec<String>> =
                expected.iter().map(|one| one.iter().map(ToString::to_string).collect()).collect();
            assert_eq!(shape(line), Some(expected), "{line}");
        }
    }

    #[test]
    fn errors_that_lead_elsewhere() {
        for (line, elsewhere) in [
            ("pytest", false),
            ("pytest 2>&1", false),
            ("pytest 2>&1 | tail -5", false),
            ("pytest > log", false),
            ("pytest 2>/dev/null", true),
            ("pytest 2> log", true),
            ("pytest 2>&-", true),
            ("pytest &> log", true),
        ] {
            let read = CommandLine::parse(line).unwrap();
            assert_eq!(read.pipelines[0][0].stderr_elsewhere, elsewhere, "{line}");
        }
    }

    #[test]
    fn lists_keep_what_connects_them() {
        use Follows::{Always, IfFailed, IfSucceeded};
        for (line, expected) in [
            ("a; b\nc", &[Always, Always, Always][..]),
            ("a && b || c; d", &[Always, IfSucceeded, IfFailed, Always]),
            ("a &&\n\n b", &[Always, IfSucceeded]),
            ("a ||\n# why\nb", &[Always, IfFailed]),
            ("a;\nb", &[Always, Always]),
        ] {
            assert_eq!(CommandLine::parse(line).unwrap().follows, expected, "{line}");
        }
    }

    #[test]
    fn lines_that_are_not_understood() {
        for line in [
            "pytest() { echo 12 passed; }; pytest",
            "function pytest { echo; }; pytest",
            "alias pytest=echo",
            "(cd x; pytest)",
            "echo $(date)",
            "echo `date`",
            "cat <<EOF\nx\nEOF",
            "pytest &",
            "diff <(a) <(b)",
            "if true; then pytest; fi",
            "for x in 1; do pytest; done",
            "eval pytest",
            "pytest >$(x)",
            "echo ${x:-$(y)}",
            "pytest 3>&1",
            "'unclosed",
            "a | | b",
        ] {
            assert_eq!(shape(line), None, "{line}");
        }
    }

    #[test]
    fn wrappers_are_looked_through() {
        for (line, expected) in [
            ("timeout 60 pytest -q", "pytest -q"),
            ("timeout -k 5 60 env A=b nice -n 3 pytest", "pytest"),
            ("env PATH=. pytest", "pytest"),
            ("env -S 'pytest x'", "env -S pytest x"),
            ("env -C /x pytest", "env -C /x pytest"),
            ("time -p pytest", "pytest"),
            ("env", "env"),
            ("env A=b", "env A=b"),
            ("/usr/bin/env CI=1 timeout --signal=KILL 1.5m pytest", "pytest"),
            ("stdbuf -oL nice -5 pytest", "pytest"),
            // Options that are not known, and programs of the same name elsewhere.
            ("env -vS'sh -c x' pytest", "env -vSsh -c x pytest"),
            ("env --split=x pytest", "env --split=x pytest"),
            ("env --chd=x pytest", "env --chd=x pytest"),
            ("env -i pytest", "env -i pytest"),
            ("time --format=x pytest", "time --format=x pytest"),
            ("time -f x pytest", "time -f x pytest"),
            ("timeout --verb 5 pytest", "timeout --verb 5 pytest"),
            ("timeout x pytest", "timeout x pytest"),
            ("command -v pytest", "command -v pytest"),
            ("exec -a x pytest", "exec -a x pytest"),
            ("./timeout 5 pytest", "./timeout 5 pytest"),
            ("/tmp/env pytest", "/tmp/env pytest"),
            ("setarch x86_64 pytest", "setarch x86_64 pytest"),
        ] {
            let read = CommandLine::parse(line).unwrap();
            let words = read.pipelines[0][0].without_wrappers().words;
            let words: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
            assert_eq!(words.join(" "), expected, "{line}");
        }
        let read = CommandLine::parse("env PATH=. pytest").unwrap();
        assert_eq!(read.pipelines[0][0].without_wrappers().assignments, [("PATH".into(), ".".into())]);
    }

    #[test]
    fn filters_pass_on_whole_lines() {
        let is_filter = |line: &str| is_plain_filter(&CommandLine::parse(line).unwrap().pipelines[0][0]);
        for line in [
            "cat",
            "tail",
            "tail -5",
            "tail -n 5",
            "tail -n5",
            "tail -n +3",
            "head --lines=4",
            "tee log",
            "tee -a x y",
            "/usr/bin/tail -3",
        ] {
            assert!(is_filter(line), "{line}");
        }
        for line in [
            "cat 12",
            "cat -",
            "cat -n",
            "cat < log",
            "tail -n 5 12",
            "tail -5 log",
            "tail -c 12",
            "tail -c12",
            "tail -n",
            "head -n x",
            "tail -f",
            "tail --pid=3",
            "./tail -5",
            "tee --help",
            "A=b tail",
            "cat $X",
            "tail -n 5 -q 12",
            "grep x",
            "sed p",
        ] {
            assert!(!is_filter(line), "{line}");
        }
    }

    #[test]
    fn only_an_echo_without_numbers_and_names_of_files_is_harmless() {
        let is_harmless = |line: &str| is_harmless_echo(&CommandLine::parse(line).unwrap().pipelines[0][0]);
        for line in ["echo done", "echo \"exit: $?\"", "echo 'is it?'", "echo ${PIPESTATUS[0]}"] {
            assert!(is_harmless(line), "{line}");
        }
        for line in ["echo ??", "echo ~", "./echo done", "echo {a,b}", "echo $X", "echo 3"] {
            assert!(!is_harmless(line), "{line}");
        }
    }

    #[test]
    fn texts_that_were_there_before() {
        for line in [
            "echo accuracy 0.99",
            "python train.py >/dev/null; echo accuracy 0.99",
            "cat result.txt",
            "python train.py | sed s/0.5/0.99/",
            "tail -3 log",
            "python train.py | tail -3 log",
            "f() { echo accuracy 0.99; }; f",
            "cat <<EOF\naccuracy 0.99\nEOF",
            "printf '%s' x && python train.py",
            "env A=b echo 0.99",
            "sh -c 'true; echo accuracy 0.99'",
            "bash -lc \"cat log\"",
            "env -vS'echo accuracy 0.99' x",
            "env -S 'echo accuracy 0.99'",
            "time -f 'accuracy 0.99' true",
            "python train.py | cat 12",
            "python train.py | cat < log",
        ] {
            assert!(shows_text(line), "{line}");
        }
        for line in [
            "python train.py",
            "python train.py | tee log | tail -3",
            "python train.py 2>&1 | grep accuracy",
            "cd x && python train.py; echo done",
            "make train; echo \"exit: $?\"",
            "python3 - <<'EOF'\nprint(1)\nEOF",
            "echo 0.99 > settings; python train.py",
        ] {
            assert!(!shows_text(line), "{line}");
        }
    }

    proptest! {
        #[test]
        fn every_line_is_read_or_not(line in "[a-c =$(){}<>&|;'\"`\\\\\\n0-9~*#!\\[\\]-]{0,40}") {
            let _ = (CommandLine::parse(&line), shows_text(&line));
        }
    }
}
