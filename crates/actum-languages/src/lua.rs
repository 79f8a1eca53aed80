//! Lua.

use super::{Check, Encoding, Language, Runtime, Template, mark, package, words};

/// Runs before the file, which is `arg[0]`, and ends before the file would start.
const CHECK: &str = "local loaded, message = loadfile(arg[0]) if not loaded then io.stderr:write(message, '\\n') os.exit(1) end os.exit(0)";

pub(super) fn language() -> Language {
    Language {
        name: "lua".to_owned(),
        title: "Lua".to_owned(),
        names: words("lua5.4 lua5.3 lua5.1 luajit"),
        extensions: words("lua"),
        shebangs: words("lua lua5.4 lua5.3 lua5.2 lua5.1 luajit"),
        encoding: Encoding::Bytes,
        staged_as: "main.lua".to_owned(),
        runtimes: ["lua", "lua5.4", "lua5.3", "luajit", "lua5.1"].map(runtime).to_vec(),
        install: package("lua5.4", &["brew install lua"]),
        marks: vec![
            mark(5, r"^\s*local\s+function\s+\w+"),
            mark(4, r"^\s*local\s+\w+(\s*,\s*\w+)*\s*=\s*\S"),
            mark(4, r"^\s*(if|elseif)\s.+\sthen\s*(--.*)?\r?$"),
            mark(4, r"\bfor\s+\w+(\s*,\s*\w+)*\s+in\s+i?pairs\("),
            mark(4, r"^\s*for\s+\w+\s*=\s*[^,]+,.+\sdo\s*\r?$"),
            mark(3, r"^\s*function\s+[\w.:]+\s*\([^)]*\)\s*(--.*)?\r?$"),
            mark(3, r"\b(string|table|io|math)\.(format|insert|concat|write|read|floor|sub|gsub|gmatch)\("),
            mark(3, r"\w\s*\.\.\s*['\x22\w]|['\x22]\s*\.\.\s*\w"),
            mark(2, r"~="),
            mark(2, r"^\s*end[,)]?\s*\r?$"),
            mark(2, r"^\s*--\s|\bnil\b"),
            mark(1, r"^\s*print\s*\("),
            mark(-5, r"^\s*(puts|require\s+['\x22]|class\s|fi|done|def)\b|\{\s*\|\w|;\s*then\b"),
            mark(-6, r"^\s*(SELECT|INSERT|CREATE|UPDATE)\b|^\s*(fprintf|disp|clc|clear)\b"),
        ],
        ..Language::default()
    }
}

fn runtime(command: &str) -> Runtime {
    let compiler = command.replace("lua", "luac");
    let own = (command != "luajit").then(|| Check::reading(Template::list([&compiler, "-p", "{file}"])));
    let load = Check::reading(Template::list([command, "-e", CHECK, "{file}"]));
    Runtime {
        run: Template::list([command, "{file}", "{args}"]),
        checks: own.into_iter().chain([load]).collect(),
        version: Template::words("-v"),
        shown_inline: Template::list([command, "-e", "{code}", "{args}"]),
        ..Runtime::default()
    }
}
