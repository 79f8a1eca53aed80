//! Languages whose packages are not prepared here: what is missing is named, with the command that brings it.
//!
//! Their installers run code of the packages (extensions, build scripts, macros) or put things where only one version fits.
//! Until each has its own confined way, the user installs, and programs find what is installed.

use super::error::PrepareError;

/// A language, and the command that installs a package of it. `{}` stands for the package.
const COMMANDS: [(&str, &str); 11] = [
    ("ruby", "gem install {}"),
    ("go", "go get {}"),
    ("rust", "cargo add {}"),
    ("r", "Rscript -e 'install.packages(\"{}\")'"),
    ("php", "composer require {}"),
    ("perl", "cpan {}"),
    ("lua", "luarocks install {}"),
    ("julia", "julia -e 'import Pkg; Pkg.add(\"{}\")'"),
    ("haskell", "cabal install --lib {}"),
    ("java", "add its jar to the class path: {}"),
    ("bash", "apt install {}"),
];

/// Why the packages of a program in this language are not prepared, and what to type.
pub fn unsupported(language: &str, packages: &[String]) -> PrepareError {
    let plain: Vec<&str> = packages.iter().map(String::as_str).filter(|name| is_plain(name)).collect();
    let command = COMMANDS.iter().find(|(name, _)| *name == language).map(|(_, command)| *command);
    let named = if plain.is_empty() { "its packages".to_owned() } else { plain.join(", ") };
    PrepareError::Unsupported {
        what: format!("{named} for {language}"),
        why: "Actum does not install packages for this language; it uses the installed ones".to_owned(),
        command: command.map(|command| command.replace("{}", &plain.join(" "))).unwrap_or_default(),
    }
}

/// A name that means nothing to a shell: it came from a program's text, and somebody may type what we print.
fn is_plain(name: &str) -> bool {
    let is_ok = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./@:".contains(&byte);
    !name.is_empty() && name.len() <= 200 && !name.starts_with('-') && name.bytes().all(is_ok)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_is_told_and_holds_nothing_hostile() {
        let names = |list: &[&str]| list.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        for (language, packages, command) in [
            ("ruby", names(&["nokogiri", "x; rm -rf /"]), "gem install nokogiri"),
            ("go", names(&["example.org/a/b"]), "go get example.org/a/b"),
            ("r", names(&["ggplot2"]), "Rscript -e 'install.packages(\"ggplot2\")'"),
        ] {
            assert_eq!(unsupported(language, &packages).hint().as_deref(), Some(command));
        }
        assert_eq!(unsupported("cobol", &names(&["x"])).hint(), None);
        assert!(unsupported("ruby", &names(&["$(id)"])).to_string().contains("its packages"));
    }
}
