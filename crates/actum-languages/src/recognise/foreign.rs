//! Texts that are known by sight and not run here. Without them a style sheet would be taken for the nearest language.

use crate::Mark;

const fn mark(weight: i32, pattern: &'static str) -> Mark {
    Mark { weight, pattern }
}

/// What it is called, and what it looks like.
pub(super) const FOREIGN: [(&str, &[Mark]); 31] = [
    (
        "HTML",
        &[
            mark(20, r"(?i)\A\s*<(!DOCTYPE\s+html|!--|script|style|template|div|form|head|body|html)"),
            mark(8, r"(?i)^\s*<(html|head|body|template|svg|form|table|ul|script|style)\b"),
            mark(
                6,
                r"(?i)^\s*</?(div|p|span|a|li|tr|td|h[1-6]|input|button|link|meta|label|section|nav|img|iframe|canvas)\b",
            ),
            mark(3, r"(?i)</\w+>\s*\r?$"),
        ],
    ),
    (
        "XML",
        &[
            mark(20, r"\A\s*<\?xml\b"),
            mark(8, r"^\s*<[\w:-]+(\s+[\w:-]+\s*=\s*\x22[^\x22]*\x22)*\s*/?>"),
            mark(4, r"^\s*</[\w:-]+>\s*\r?$"),
        ],
    ),
    (
        "CSS",
        &[
            mark(6, r"^\s*[.#]?[a-zA-Z][\w\s.#:>,()*\[\]='\x22-]*\{\s*\r?\n\s*[a-z-]+\s*:\s*[^;{]+;"),
            mark(
                6,
                r"^\s*(color|margin|padding|display|width|height|background(-\w+)?|font-\w+|border(-\w+)?|position|top|left|flex(-\w+)?|grid(-\w+)*)\s*:\s*[^;=(]+;",
            ),
            mark(5, r"^\s*@(media|import|keyframes|tailwind|apply|layer)\b"),
        ],
    ),
    (
        "JSON",
        &[
            mark(16, r"\A\s*[\[{]\s*(\x22[^\x22\n]*\x22\s*:|\{|\[|\x22)"),
            mark(4, r"^\s*\x22[^\x22]+\x22\s*:\s*[\[{\x22\dtfn]"),
            mark(-12, r"^\s*(import|const|let|var|def|print|function|return|for|if)\b|;\s*\r?$"),
        ],
    ),
    (
        "YAML",
        &[
            mark(6, r"\A(#.*\n|\s*\n)*---\s*\r?$"),
            mark(
                5,
                r"^(apiVersion|kind|version|services|name|on|jobs|image|spec|metadata|openapi|dependencies|environment):(\s|$)",
            ),
            mark(4, r"^\s*-\s+\w+:\s*\S*"),
            mark(3, r"^[a-z_][\w-]*:\s*\r?\n\s+[\w-]+:"),
            mark(-10, r"[;{]\s*\r?$|^\s*(def|class|if|for|while|import|from|try|else)\b"),
        ],
    ),
    (
        "TOML",
        &[
            mark(6, r"^\s*\[{1,2}[\w.\x22-]+\]{1,2}\s*\r?$"),
            mark(4, r"^\s*[\w-]+\s*=\s*(\x22[^\x22]*\x22|\[.*\]|\d+|true|false|\{.*\})\s*\r?$"),
            mark(-8, r"^\s*(def|import|for|if|class|let|const|local|function|print)\b|;\s*\r?$|\("),
        ],
    ),
    (
        "C#",
        &[
            mark(10, r"^\s*using\s+(System|Microsoft|UnityEngine|Xunit|Newtonsoft|Unity)(\.\w+)*;"),
            mark(6, r"\bConsole\.(Write|Read)(Line)?\("),
            mark(6, r"\{\s*get;\s*((private\s+|protected\s+|init)?\s*set;)?"),
            mark(4, r"^\s*namespace\s+\w+(\.\w+)*\s*[;{]?\s*\r?$"),
            mark(
                4,
                r"\b(public|private|protected|internal)\s+(static\s+|async\s+|override\s+|virtual\s+)*(string|bool|Task|IActionResult|IEnumerable|List<|ActionResult)",
            ),
            mark(5, r"\bstatic\s+(async\s+)?(void|int|Task)\s+Main\("),
            mark(3, r"\bvar\s+\w+\s*=\s*(new\s|await\s|[A-Z]\w*\.)"),
            mark(3, r"\bforeach\s*\(var\s|\$\x22|\busing\s*\(var\s|\bstring\s+\w+\s*="),
            mark(3, r"\.(Where|Select|ToList|FirstOrDefault|OrderBy|Add|Contains)\("),
        ],
    ),
    (
        "Kotlin",
        &[
            mark(
                8,
                r"^\s*(suspend\s+|private\s+|override\s+|inline\s+|open\s+|internal\s+)*fun\s+(<[^>]+>\s+)?[\w.]+\s*\(",
            ),
            mark(
                4,
                r"^\s*(private\s+|override\s+|lateinit\s+)*(val|var)\s+\w+(\s*:\s*[\w<>?, ]+)?\s*=\s*[^;]*$",
            ),
            mark(4, r"^\s*(data|sealed|open|inner)\s+class\s"),
            mark(4, r"^\s*import\s+(kotlin|android|androidx|com|org|io|java)[x\w]*(\.\w+)+(\.\*)?\s*\r?$"),
            mark(
                3,
                r"\bprintln\(|\bwhen\s*\(.*\)\s*\{|\?:|!!\.|\blistOf\(|\bmutableListOf|\bfor\s*\(\w+\s+in\s",
            ),
        ],
    ),
    (
        "Swift",
        &[
            mark(
                10,
                r"^\s*import\s+(UIKit|Foundation|SwiftUI|Combine|AVFoundation|CoreData|MetalKit|Metal)\s*\r?$",
            ),
            mark(
                6,
                r"^\s*(@\w+\s+)?(private\s+|public\s+|override\s+|static\s+|mutating\s+)*func\s+\w+(<[^>]*>)?\([^)]*\)\s*(async\s+)?(throws\s+)?(->\s*[\w\[\]?<>]+\s*)?\{",
            ),
            mark(
                4,
                r"\b(let|var)\s+\w+\s*:\s*[A-Z\[][\w\[\]?<>:, ]*\s*(=|\{|$)|\bguard\s+let\b|\bif\s+let\b|@(State|IBOutlet|Published|objc|main|IBAction)\b",
            ),
            mark(4, r"\b(let|var)\s+\w+\s*=\s*[^;]*\r?$"),
            mark(5, r"^\s*case\s+\w+(\s*,\s*\w+)*\s*\r?$|\bcase\s+\.\w+"),
            mark(4, r":\s*(View|UIViewController|ObservableObject|Codable)\b"),
        ],
    ),
    (
        "Scala",
        &[
            mark(
                8,
                r"^\s*(case\s+class|object\s+\w+(\s+extends\s+\w+)?\s*\{|sealed\s+trait|implicit\s+(val|def))",
            ),
            mark(5, r"^\s*(override\s+)?def\s+\w+(\[[^\]]*\])?(\([^)]*\))?\s*(:\s*[\w\[\], ]+)?\s*=\s*"),
            mark(4, r"^\s*import\s+(scala|akka|cats|org)\.[\w.{}, _]+\s*\r?$"),
        ],
    ),
    (
        "a Dockerfile",
        &[
            mark(8, r"^FROM\s+[\w./:@-]+(\s+AS\s+\w+)?\s*\r?$"),
            mark(5, r"^(RUN|COPY|WORKDIR|ENTRYPOINT|CMD|EXPOSE|ENV)\s+\S"),
        ],
    ),
    (
        "a Makefile",
        &[
            mark(6, r"^[\w.%/$()-]+\s*:[^=]*\n\t\S"),
            mark(5, r"^\.PHONY\s*:"),
            mark(4, r"\$\((CC|CFLAGS|MAKE|SRC|OBJ)\)"),
        ],
    ),
    (
        "PowerShell",
        &[
            mark(
                8,
                r"\b(Get|Set|New|Remove|Write|Import|Export|Invoke|Start|Stop|Test|Add|Out|ConvertTo|ConvertFrom|Install|Select|Where|ForEach)-[A-Z]\w+",
            ),
            mark(4, r"^\s*\$\w+\s*=\s*[^;]*\r?$"),
            mark(4, r"^\s*param\s*\(|\s-(eq|ne|gt|lt|like|match)\s"),
        ],
    ),
    (
        "a batch file",
        &[
            mark(8, r"(?i)^\s*@echo\s+off"),
            mark(4, r"(?i)^\s*(set\s+\w+=|goto\s+\w+|rem\s)|%\w+%|^\s*if\s+(not\s+)?exist\s"),
            mark(5, r"(?i)^\s*(cd|dir|copy|del)\s+(/\w\s+)*[A-Z]:\\"),
        ],
    ),
    (
        "Haskell",
        &[
            mark(8, r"^\s*\w+'?\s*::\s*([\w\[\](), ]|=>)*->"),
            mark(5, r"^\s*\w+\s+::\s+\S+"),
            mark(
                5,
                r"^\s*(module\s+\w+(\.\w+)*\s*(\(|where)|import\s+(qualified\s+)?[A-Z]\w*(\.\w+)*(\s*\(|\s+as\s|\s*\r?$)|data\s+\w+.*=|newtype\s|instance\s+\w+\s+\w+\s+where)",
            ),
            mark(
                4,
                r"^main\s*=\s*do\b|\bputStrLn\b|<\$>|^\s*where\s*\r?$|^\s*\|\s*\w+.*=|\bcase\s+\w+\s+of\b",
            ),
        ],
    ),
    (
        "OCaml",
        &[
            mark(6, r"^\s*let\s+(rec\s+)?\w+(\s+[\w(:) ]+)?\s*=\s*(\r?$|fun\b|function\b|match\b)"),
            mark(5, r";;\s*\r?$|\bmatch\s+.+\swith\b"),
            mark(4, r"^\s*\|\s*.+->|\bPrintf\.printf|\bList\.(map|iter|fold_left)"),
        ],
    ),
    (
        "a Lisp",
        &[
            mark(
                10,
                r"^\s*\((define|defun|defn|ns|let|lambda|setq|display|cond|def|defmacro|require|use-package|defvar|if|car|cdr|progn)\b",
            ),
            mark(4, r"\)\)\)\s*\r?$|^\s*;;"),
        ],
    ),
    (
        "MATLAB",
        &[
            mark(6, r"^\s*(clc|clear(\s+all)?|close\s+all|figure|hold\s+on)\s*;?\s*(%.*)?\r?$"),
            mark(6, r"^\s*function\s+(\[?[\w, ]+\]?\s*=\s*)?\w+(\([^)]*\))?\s*(%.*)?\r?$"),
            mark(5, r"^\s*%+\s*\S"),
            mark(
                4,
                r"^\s*\w+\s*=\s*(zeros|ones|linspace|rand|randn|size|length|sum|sqrt|input|num2str|inv|eye|fft)\(.*\);",
            ),
            mark(
                4,
                r"\b(fprintf|disp|plot|xlabel|ylabel|subplot|optimset|num2str|syms|ode45|fsolve|end(function|if|for|while))\b",
            ),
            mark(3, r"^\s*for\s+\w+\s*=\s*\S+:\S+|\.\*|\.\^|\.'"),
            mark(3, r"^\s*\w+\s*=\s*[^;=]+;\s*(%.*)?\r?$"),
            mark(2, r"^\s*end\s*;?\s*\r?$"),
            mark(-8, r"^\s*#include|\{\s*\r?$|^\s*(int|char|double|float|const|let|var)\s"),
        ],
    ),
    (
        "a shader",
        &[
            mark(
                10,
                r"^\s*#version\s+\d+|\bgl_(Position|FragColor|FragCoord)\b|\b(uniform|varying|attribute)\s+\w+\s+\w+|\bsampler2D\b|<metal_stdlib>|\[\[\s*(buffer|stage_in|position|texture|thread_position)|\bkernel\s+void\b",
            ),
            mark(6, r"\bvec[234]\s*\(|\bmat[34]\s*\(|\bvec[234]\s+\w+|\bfloat[234]\b"),
            mark(3, r"^\s*(vertex|fragment|kernel|precision|layout)\s"),
        ],
    ),
    (
        "Solidity",
        &[
            mark(20, r"^\s*pragma\s+solidity"),
            mark(10, r"^\s*contract\s+\w+.*\{"),
            mark(6, r"\b(uint256|address\s+(public|payable|private)|mapping\s*\(|msg\.sender|payable)\b"),
            mark(5, r"\bfunction\s+\w+\([^)]*\)\s*(public|external|internal|private)"),
        ],
    ),
    (
        "assembly",
        &[
            mark(
                6,
                r"(?i)^\s*(mov|push|pop|add|sub|jmp|cmp|call|lea|xor|ldr|str|bl|int|ret|li|lw|sw|addi|ld|out|rjmp|ldi)\s+[%$#\w\[]+(\s*,|\s*\r?$)",
            ),
            mark(
                5,
                r"(?i)^\s*(section|global|\.text|\.data|\.globl|\.global|\.section|org|\.org|\.include)\b",
            ),
            mark(4, r"^\s*\w+:\s*(;.*)?\r?$|^\s*;\s*\S"),
            mark(-10, r"[{}]\s*\r?$|=\s|\bdef\b|\bif\b"),
        ],
    ),
    (
        "Visual Basic",
        &[
            mark(8, r"(?i)^\s*((private|public)\s+)?(sub|function)\s+\w+\([^)]*\)(\s+as\s+\w+)?\s*\r?$"),
            mark(8, r"(?i)^\s*end\s+(sub|function|if|class|with|select)\b"),
            mark(5, r"(?i)^\s*dim\s+\w+.*\bas\b"),
        ],
    ),
    (
        "HCL",
        &[mark(
            10,
            r"^\s*(resource|variable|provider|module|data|output|terraform|locals)\s+(\x22[^\x22]+\x22\s*)*\{",
        )],
    ),
    (
        "SystemVerilog",
        &[
            mark(
                10,
                r"^\s*(module\s+\w+\s*[(;#]|endmodule|always(_ff|_comb)?\s*[@(]|assign\s+\w+\s*=|initial\s+begin|input\s+(logic|wire|reg)|output\s+(logic|reg|wire)|class\s+\w+\s+extends\s+uvm_\w+|covergroup\s)",
            ),
            mark(5, r"\b(posedge|negedge|endclass|endfunction|endtask)\b"),
        ],
    ),
    (
        "Groovy",
        &[
            mark(
                8,
                r"^\s*(pipeline|plugins|dependencies|repositories|stages|buildscript|android)\s*\{|^\s*def\s+\w+\s*=|^\s*(implementation|apply\s+plugin|testImplementation|classpath)\b",
            ),
            mark(4, r"^\s*println\s+['\x22]"),
        ],
    ),
    (
        "Elixir",
        &[
            mark(10, r"^\s*defmodule\s+[\w.]+\s+do\b"),
            mark(5, r"^\s*defp?\s+\w+.*\bdo\s*\r?$|\bIO\.(puts|inspect)\b|\|>\s*\w+"),
        ],
    ),
    (
        "Nix",
        &[
            mark(
                8,
                r"^\s*\{\s*(pkgs|lib|config|stdenv)\b.*\}\s*:|\bwith\s+(import\s+<nixpkgs>|pkgs);|\bpkgs\.\w+|\bmkDerivation\b|<nixpkgs>",
            ),
            mark(4, r"^\s*(let|in|inherit)\b\s*\r?$|=\s*\[\s*\r?$"),
        ],
    ),
    ("SAS", &[mark(10, r"(?i)^\s*(proc\s+\w+|data\s+\w+(\s*;|\s*\()|run\s*;|quit\s*;|%macro|%let)")]),
    (
        "a server configuration",
        &[
            mark(
                10,
                r"^\s*<(VirtualHost|Directory|Location|IfModule|Proxy)\b|^\s*(RewriteEngine|RewriteRule|RewriteCond|ProxyPass|ServerName|DocumentRoot)\s",
            ),
            mark(
                8,
                r"^\s*(server|location\s+\S+|upstream\s+\w+|http)\s*\{\s*\r?$|^\s*(listen\s+\d+|server_name\s|proxy_pass\s)",
            ),
        ],
    ),
    (
        "GDScript",
        &[mark(
            10,
            r"^extends\s+\w+\s*\r?$|^func\s+\w+\(.*\)(\s*->\s*\w+)?:\s*\r?$|^(export|onready|@export|@onready)\s+var\s",
        )],
    ),
    ("a patch", &[mark(20, r"^(--- a/|\+\+\+ b/|diff --git |@@ -\d+(,\d+)? \+\d+)")]),
];
