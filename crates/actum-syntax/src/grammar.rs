//! The grammars, and the names that their languages have.

use tree_sitter::Language;

/// A language that is read by a grammar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Grammar {
    Bash,
    C,
    Cpp,
    Go,
    Java,
    JavaScript,
    Lua,
    Php,
    R,
    Ruby,
    Rust,
    TypeScript,
    /// TypeScript with markup in it: another grammar, as `<T>` means two things.
    Tsx,
}

impl Grammar {
    #[cfg(test)]
    pub(crate) const ALL: [Grammar; 13] = [
        Grammar::Bash,
        Grammar::C,
        Grammar::Cpp,
        Grammar::Go,
        Grammar::Java,
        Grammar::JavaScript,
        Grammar::Lua,
        Grammar::Php,
        Grammar::R,
        Grammar::Ruby,
        Grammar::Rust,
        Grammar::TypeScript,
        Grammar::Tsx,
    ];

    pub(crate) fn called(name: &str) -> Option<Self> {
        Some(match name {
            "bash" | "sh" | "shell" | "zsh" | "ksh" | "dash" | "shellscript" => Grammar::Bash,
            "c" | "h" => Grammar::C,
            "cpp" | "c++" | "cc" | "cxx" | "hpp" | "hh" | "hxx" | "cplusplus" => Grammar::Cpp,
            "go" | "golang" => Grammar::Go,
            "java" => Grammar::Java,
            "javascript" | "js" | "mjs" | "cjs" | "node" | "nodejs" | "jsx" => Grammar::JavaScript,
            "lua" => Grammar::Lua,
            "php" => Grammar::Php,
            "r" | "rscript" => Grammar::R,
            "ruby" | "rb" => Grammar::Ruby,
            "rust" | "rs" => Grammar::Rust,
            "typescript" | "ts" | "mts" | "cts" => Grammar::TypeScript,
            "tsx" => Grammar::Tsx,
            _ => return None,
        })
    }

    /// The name of the language.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Grammar::Bash => "bash",
            Grammar::C => "c",
            Grammar::Cpp => "cpp",
            Grammar::Go => "go",
            Grammar::Java => "java",
            Grammar::JavaScript => "javascript",
            Grammar::Lua => "lua",
            Grammar::Php => "php",
            Grammar::R => "r",
            Grammar::Ruby => "ruby",
            Grammar::Rust => "rust",
            Grammar::TypeScript | Grammar::Tsx => "typescript",
        }
    }

    pub(crate) fn language(self) -> Language {
        match self {
            Grammar::Bash => tree_sitter_bash::LANGUAGE,
            Grammar::C => tree_sitter_c::LANGUAGE,
            Grammar::Cpp => tree_sitter_cpp::LANGUAGE,
            Grammar::Go => tree_sitter_go::LANGUAGE,
            Grammar::Java => tree_sitter_java::LANGUAGE,
            Grammar::JavaScript => tree_sitter_javascript::LANGUAGE,
            Grammar::Lua => tree_sitter_lua::LANGUAGE,
            Grammar::Php => tree_sitter_php::LANGUAGE_PHP,
            Grammar::R => tree_sitter_r::LANGUAGE,
            Grammar::Ruby => tree_sitter_ruby::LANGUAGE,
            Grammar::Rust => tree_sitter_rust::LANGUAGE,
            Grammar::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
            Grammar::Tsx => tree_sitter_typescript::LANGUAGE_TSX,
        }
        .into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_grammar_is_one_that_the_library_takes_and_answers_to_its_name() {
        for grammar in Grammar::ALL {
            tree_sitter::Parser::new().set_language(&grammar.language()).unwrap();
            let called = Grammar::called(grammar.name()).unwrap();
            assert_eq!(called.name(), grammar.name());
        }
        assert_eq!(Grammar::called("cobol"), None);
    }
}
