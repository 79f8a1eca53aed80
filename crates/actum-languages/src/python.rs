//! Python.

use super::{Check, Encoding, Language, Runtime, Template, mark, package, variables, words};

/// Compiles in memory: no `.pyc`, nothing imported, nothing of the workspace on the path (`-I -S`). The error is printed as
/// the interpreter itself would print it.
const CHECK: &str = "\
import sys
try:
    compile(open(sys.argv[1], 'rb').read(), sys.argv[1], 'exec', dont_inherit=True)
except (SyntaxError, ValueError) as error:
    sys.excepthook(type(error), error.with_traceback(None), None)
    sys.exit(1)
";

pub(super) fn language() -> Language {
    Language {
        name: "python".to_owned(),
        title: "Python".to_owned(),
        names: words("python3 py py3 python2 ipython pycon"),
        extensions: words("py pyw"),
        shebangs: words("python3 python python3.9 python3.10 python3.11 python3.12 python3.13 python3.14"),
        encoding: Encoding::Declared,
        staged_as: "main.py".to_owned(),
        runtimes: vec![runtime("python3"), runtime("python")],
        install: package("python3", &["uv python install"]),
        marks: vec![
            mark(6, r"^\s*(async\s+)?def\s+\w+\s*\([^)]*\)\s*(->\s*[^:{]+)?:"),
            mark(4, r"^\s*(async\s+)?def\s+\w+\s*\(\s*$"),
            mark(6, r"^from\s+[\w.]+\s+import\s+[\w(*]"),
            mark(
                4,
                r"^\s*import\s+[a-z_][\w.]*(\s+as\s+\w+)?(\s*,\s*[a-z_][\w.]*(\s+as\s+\w+)?)*\s*(#.*)?\r?$",
            ),
            mark(6, r"^if\s+__name__\s*==\s*['\x22]__main__['\x22]"),
            mark(5, r"^\s*elif\s.+:\s*(#.*)?\r?$"),
            mark(3, r"^\s*(if|for|while|with|try|except|else|finally)\b[^{};]*:\s*(#.*)?\r?$"),
            mark(4, r"^\s*for\s+\w+(\s*,\s*\w+)*\s+in\s+[^;{]+:\s*(#.*)?\r?$"),
            mark(5, r"^\s*class\s+\w+\s*(\([^)]*\))?:\s*(#.*)?\r?$"),
            mark(3, r"^\s*@\w+(\.\w+)*(\(.*\))?\r?\n\s*(async\s+)?(def|class)\s"),
            mark(3, r"\bself\.\w+"),
            mark(3, r"^\s*print\s*\(.*\)\s*(#.*)?\r?$"),
            mark(2, r"\bprint\(f['\x22]"),
            mark(3, r"\b(None|True|False)\b"),
            mark(2, r"^\s*(raise|assert|yield|lambda|pass|nonlocal|global|del)\b"),
            mark(2, r"^\s*[A-Za-z_]\w*\s*=\s*\w+(\.\w+)*\("),
            mark(3, r"\[.+\bfor\s+\w+(\s*,\s*\w+)*\s+in\s+.+\]"),
            mark(3, r"\b(and|or|is)\s+not\b|\bnot\s+in\b"),
            mark(2, r"\b(len|range|enumerate|zip|isinstance|str|int|dict)\("),
            mark(2, r#"^\s*("""|''')"#),
            mark(3, r"\w\[\w*:\w*\]|\blambda\s*\w*(\s*,\s*\w+)*\s*:"),
            mark(3, r"\b(np|pd|plt|sns|torch|tf)\.\w+"),
            mark(2, r"\*\*\w+\)"),
            mark(1, r"^\s*#\s"),
            mark(1, r"^[a-z_]\w*\s*=\s*[\[{(\x22'0-9]"),
            mark(-4, r"^\s*(end|fi|done|esac)\s*;?\r?$"),
            mark(-4, r";\s*\r?\n.*;\s*\r?\n"),
        ],
        ..Language::default()
    }
}

fn runtime(command: &str) -> Runtime {
    Runtime {
        run: Template::list([command, "{file}", "{args}"]),
        checks: vec![Check::reading(Template::list([command, "-I", "-S", "-c", CHECK, "{file}"]))],
        version: Template::words("--version"),
        // Without the first every run would leave `__pycache__` among its changes. Without the second a program that is
        // stopped by a limit loses what it had printed, and both streams arrive in another order than written.
        variables: variables(&[("PYTHONDONTWRITEBYTECODE", "1"), ("PYTHONUNBUFFERED", "1")]),
        shown_inline: Template::list([command, "-c", "{code}", "{args}"]),
        ..Runtime::default()
    }
}
