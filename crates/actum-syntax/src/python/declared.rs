//! The block in which a script declares its environment (PEP 723).

use crate::text::beginning;
use actum_model::Declared;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Block {
    requires_python: Option<String>,
    #[serde(default)]
    dependencies: Vec<String>,
    tool: Option<Tool>,
}

#[derive(Deserialize)]
struct Tool {
    uv: Option<Uv>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Uv {
    exclude_newer: Option<String>,
}

/// What the program declares; none where it has no such block.
pub(super) fn read(text: &str) -> Option<Declared> {
    let lines: Vec<&str> = text.lines().collect();
    let opened = lines.iter().position(|line| line.trim_end() == "# /// script")?;
    let line = u32::try_from(opened + 1).unwrap_or(u32::MAX);
    let wrong = |problem: &str| Declared { line, problem: Some(problem.to_owned()), ..Declared::default() };
    // The block goes on as long as there are comments, and ends with the last line among them that closes it.
    let comments =
        lines[opened + 1..].iter().take_while(|line| line.trim_end() == "#" || line.starts_with("# "));
    let comments: Vec<&str> = comments.copied().collect();
    let Some(closed) = comments.iter().rposition(|line| line.trim_end() == "# ///") else {
        return Some(wrong("the block is not closed with `# ///`"));
    };
    let second = lines[opened + 1 + closed + 1..].iter().any(|line| line.trim_end() == "# /// script");
    if second {
        return Some(wrong("there are two blocks"));
    }
    let toml: Vec<&str> = comments[..closed].iter().map(|line| line.get(2..).unwrap_or("")).collect();
    Some(match toml::from_str::<Block>(&toml.join("\n")) {
        Ok(block) => Declared {
            line,
            requires_python: block.requires_python,
            dependencies: block.dependencies,
            exclude_newer: block.tool.and_then(|tool| tool.uv).and_then(|uv| uv.exclude_newer),
            problem: None,
        },
        Err(error) => wrong(beginning(error.message(), 200)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_read() {
        let text = "#!/usr/bin/env python\n# /// script\n# requires-python = \">=3.11\"\n# dependencies = [\n#   \"requests<3\",\n#   \"rich\",\n# ]\n#\n# [tool.uv]\n# exclude-newer = \"2024-01-01T00:00:00Z\"\n# ///\nimport rich\n";
        let block = read(text).unwrap();
        assert_eq!((block.line, block.requires_python.as_deref()), (2, Some(">=3.11")));
        assert_eq!(block.dependencies, ["requests<3", "rich"]);
        assert_eq!(block.exclude_newer.as_deref(), Some("2024-01-01T00:00:00Z"));
        assert_eq!(block.problem, None);
        assert_eq!(read("# /// script\n# dependencies = []\n# ///\n").unwrap().dependencies.len(), 0);
        assert_eq!(read("import x\n# /// other\n# ///\n"), None);
    }

    #[test]
    fn broken_blocks_say_why() {
        for text in [
            "# /// script\n# dependencies = [\nimport x\n",
            "# /// script\n# dependencies = [\n# ///\n",
            "# /// script\n# dependencies = 3\n# ///\n",
            "# /// script\n# ///\nx\n# /// script\n# ///\n",
        ] {
            assert!(read(text).unwrap().problem.is_some(), "{text}");
        }
    }
}
