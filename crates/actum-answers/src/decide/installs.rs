//! Lines for a shell that install something: what is needed, and no step of the work.

use super::Case;
use actum_model::{Holds, PackageWish};

/// What a command does about packages.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum About {
    /// It installs these.
    Installs(Vec<PackageWish>),
    /// It makes or enters an environment, which is done in another way here.
    Prepares,
    /// It is work.
    Work,
}

/// How a package manager is told to install.
const INSTALLERS: &[(&[&str], &str)] = &[
    (&["uv", "pip", "install"], "pip"),
    (&["uv", "add"], "pip"),
    (&["poetry", "add"], "pip"),
    (&["pipenv", "install"], "pip"),
    (&["pip", "install"], "pip"),
    (&["pip3", "install"], "pip"),
    (&["conda", "install"], "conda"),
    (&["mamba", "install"], "conda"),
    (&["npm", "install"], "npm"),
    (&["npm", "i"], "npm"),
    (&["npm", "add"], "npm"),
    (&["npm", "ci"], "npm"),
    (&["yarn", "add"], "npm"),
    (&["yarn", "install"], "npm"),
    (&["pnpm", "add"], "npm"),
    (&["pnpm", "install"], "npm"),
    (&["apt", "install"], "apt"),
    (&["apt-get", "install"], "apt"),
    (&["brew", "install"], "brew"),
    (&["gem", "install"], "gem"),
    (&["bundle", "install"], "gem"),
    (&["cargo", "add"], "cargo"),
    (&["go", "get"], "go"),
    (&["composer", "require"], "composer"),
];

/// What makes an environment or is about the tools themselves.
const PREPARING: &[&[&str]] = &[
    &["apt", "update"],
    &["apt-get", "update"],
    &["apt", "upgrade"],
    &["apt-get", "upgrade"],
    &["brew", "update"],
    &["conda", "create"],
    &["conda", "activate"],
    &["source", "activate"],
    &["npm", "init"],
    &["yarn", "init"],
    &["virtualenv"],
    &["uv", "venv"],
    &["deactivate"],
];

/// Takes installations out of a block of commands. Where nothing else is in it, it is settled.
pub(super) fn take_out(case: &mut Case<'_>) {
    let mut work = String::new();
    let (mut wishes, mut is_work, mut is_changed) = (Vec::new(), false, false);
    for line in case.block.text().lines() {
        let (rest, found) = sorted(line);
        match found {
            Some(more) => {
                wishes.extend(more);
                is_changed = true;
            }
            None => is_work |= !line.trim().is_empty() && !line.trim_start().starts_with('#'),
        }
        is_work |= found_work(&rest, line);
        work.push_str(&rest);
        work.push('\n');
    }
    wishes.dedup();
    case.block.requirements = wishes;
    if is_changed && !is_work {
        case.block.holds = Holds::Installation;
        let names: Vec<&str> = case.block.requirements.iter().map(|one| one.package.as_str()).collect();
        let why = match names.is_empty() {
            true => "it creates an environment, which Actum does itself".to_owned(),
            false => {
                format!("it installs: {}", names.join(", ").chars().take(200).collect::<String>())
            }
        };
        return case.skip(why);
    }
    if is_changed {
        case.block.program = Some(work);
        case.block.warnings.push("Actum installs these packages before the run".to_owned());
    }
}

/// Whether a command installs something or makes an environment.
pub(super) fn is_in(command: &str) -> bool {
    command.lines().any(|line| sorted(line).1.is_some())
}

fn found_work(rest: &str, line: &str) -> bool {
    rest != line && !rest.trim().is_empty()
}

/// A line without what it installs, and what that is; none where it is nothing but work.
fn sorted(line: &str) -> (String, Option<Vec<PackageWish>>) {
    // Quotes may hold what separates commands; then the line is one command.
    let is_simple = !line.contains(['"', '\'']);
    let parts: Vec<&str> = if is_simple { line.split("&&").collect() } else { vec![line] };
    let (mut wishes, mut work, mut is_found) = (Vec::new(), Vec::new(), false);
    for part in parts {
        match about(part) {
            About::Installs(more) => {
                wishes.extend(more);
                is_found = true;
            }
            About::Prepares => is_found = true,
            About::Work => work.push(part),
        }
    }
    if !is_found {
        return (line.to_owned(), None);
    }
    (work.join("&&").trim().to_owned(), Some(wishes))
}

/// What one command is about.
pub(super) fn about(command: &str) -> About {
    let command = command.split(" #").next().unwrap_or(command);
    let mut words: Vec<&str> =
        command.split_whitespace().map(|word| word.trim_matches(['"', '\'', ';'])).collect();
    if words.first() == Some(&"sudo") {
        words.remove(0);
    }
    if let [python, "-m", rest @ ..] = words.as_slice()
        && python.starts_with("py")
    {
        if rest.first() == Some(&"venv") {
            return About::Prepares;
        }
        words = rest.to_vec();
    }
    if let [".", file] | ["source", file] = words.as_slice()
        && file.ends_with("/activate")
    {
        return About::Prepares;
    }
    if words.first().is_some_and(|word| word.ends_with("\\activate") || word.ends_with("\\activate.bat")) {
        return About::Prepares;
    }
    if PREPARING.iter().any(|known| words.starts_with(known)) {
        return About::Prepares;
    }
    let known = INSTALLERS.iter().find(|(known, _)| words.starts_with(known));
    let Some((known, tool)) = known else { return About::Work };
    About::Installs(wishes(&words[known.len()..], tool))
}

/// The packages among the words behind an installer.
fn wishes(words: &[&str], tool: &str) -> Vec<PackageWish> {
    let wish = |package: &str| PackageWish { tool: tool.to_owned(), package: package.to_owned() };
    let mut found = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match *word {
            "-r" | "--requirement" => found.extend(words.next().map(|file| wish(&format!("-r {file}")))),
            "-c" | "-i" | "--index-url" | "--extra-index-url" | "-f" | "--find-links" | "-n" | "--name"
            | "-t" => {
                words.next();
            }
            flag if flag.starts_with('-') => {}
            "&&" | "||" | "|" | ";" => break,
            // The tools themselves are not what the program needs.
            "pip" | "setuptools" | "wheel" if tool == "pip" => {}
            package => found.push(wish(package)),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn installed(command: &str) -> Vec<String> {
        match about(command) {
            About::Installs(wishes) => {
                wishes.into_iter().map(|wish| format!("{} {}", wish.tool, wish.package)).collect()
            }
            About::Prepares => vec!["prepares".to_owned()],
            About::Work => vec!["work".to_owned()],
        }
    }

    #[test]
    fn what_is_installed() {
        let cases: [(&str, &[&str]); 14] = [
            ("pip install pandas==2.1 numpy", &["pip pandas==2.1", "pip numpy"]),
            ("python3 -m pip install -U 'requests>=2'  # why", &["pip requests>=2"]),
            ("sudo apt-get install -y ffmpeg", &["apt ffmpeg"]),
            ("pip install -r requirements.txt", &["pip -r requirements.txt"]),
            ("pip install --upgrade pip", &[]),
            ("npm install --save-dev jest", &["npm jest"]),
            ("npm install", &[]),
            ("conda install -c conda-forge rdkit", &["conda rdkit"]),
            ("python -m venv venv", &["prepares"]),
            ("source venv/bin/activate", &["prepares"]),
            ("python app.py", &["work"]),
            ("echo pip install x", &["work"]),
            ("npm run build", &["work"]),
            ("", &["work"]),
        ];
        for (command, expected) in cases {
            assert_eq!(installed(command), expected, "{command}");
        }
    }

    #[test]
    fn work_beside_an_installation_stays() {
        assert_eq!(sorted("pip install x && python a.py").0, "python a.py");
        assert_eq!(sorted("cd a && npm install").0, "cd a");
        assert_eq!(sorted("python a.py").1, None);
    }
}
