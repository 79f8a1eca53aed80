//! Bash. `.sh` belongs to it as well as to [`sh`](super::sh): most such files are written for Bash, whatever they are
//! called, and a first line that names `sh` decides for the other.

use super::{Check, Encoding, Language, Runtime, Template, mark, package, words};

pub(super) fn language() -> Language {
    Language {
        name: "bash".to_owned(),
        title: "Bash".to_owned(),
        names: words("shell shellscript shell-script"),
        extensions: words("sh bash"),
        shebangs: words("bash"),
        encoding: Encoding::Bytes,
        staged_as: "main.sh".to_owned(),
        runtimes: vec![Runtime {
            run: Template::words("bash {file} {args}"),
            checks: vec![Check::reading(Template::words("bash -n {file}"))],
            version: Template::words("--version"),
            // In a shell the code is what one types.
            shown_inline: Template::words("{code}"),
            ..Runtime::default()
        }],
        install: package("bash", &["brew install bash"]),
        marks: vec![
            mark(5, r"^\s*(el)?if\s+(!\s+)?\[{1,2}\s.*\]{1,2}\s*(;|&&|\|\||$)"),
            mark(4, r"^\s*(then|fi|done|esac)\s*(;.*|#.*|\|.*|<.*|>.*|&.*)?\r?$"),
            mark(4, r";\s*(then|do)\s*(#.*)?\r?$"),
            mark(4, r"^\s*(for\s+\w+\s+in\s.*|while\s.*|until\s.*);\s*do\b"),
            mark(4, r"^\s*set\s+-[euxo]+"),
            mark(4, r"^\s*(local|declare|readonly|export)\s+(-\w+\s+)*\w+=(\$|['\x22\w/~(]|$)"),
            mark(3, r"^\s*[A-Za-z_]\w*=(\$[({\w]|['\x22][^'\x22\n]*['\x22]\s*\r?$|\w+\r?$)"),
            mark(3, r"\$\([a-z(]|\$\{\w+([:#%/^,]|\[)|\x22\$[@\w]|\$[#@?]"),
            mark(3, r"^\s*(function\s+)?\w+\s*\(\)\s*\{\s*\r?$"),
            mark(3, r"^\s*echo\s+(-[ne]+\s+)?['\x22$\w]"),
            mark(
                5,
                r"^(\$\s+)?(sudo\s+)?(apt(-get)?|yum|dnf|brew|pip3?|pipx|npm|npx|yarn|pnpm|cargo|gem|composer|docker|docker-compose|kubectl|helm|git|go|rustup|conda|poetry|uv|systemctl|service|modprobe|make|cmake|snap|nix-shell|nix-channel|nix-env|nix|terraform|aws|gcloud|az|php\s+artisan)\s+[a-z-][\w-]*(\s+[^=(\s{:;][^{;]*)?\r?$",
            ),
            mark(5, r"^(\$\s+)?sudo\s+\S+"),
            mark(
                4,
                r"^(\$\s+)?(python3?|node|ruby|perl|java|javac|gcc|g\+\+|rustc|php|Rscript|streamlit\s+run|bash|sh)\s+(-\w+\s+)*[\w./-]+(\s+[^=(]*)?\r?$",
            ),
            mark(
                4,
                r"^(\$\s+)?(cd|mkdir|rm|cp|mv|chmod|chown|curl|wget|tar|sed|awk|grep|find|cat|ls|touch|ln|tail|head|sort|xargs|ssh|scp|rsync|ffmpeg|source|unzip|which|kill|ps|df|du)\s+(-|[\w./~\x22'$*])[^={;(]*\r?$",
            ),
            mark(
                3,
                r"^(\$\s+)?(sed|awk|grep|find|tar|curl|wget|ffmpeg|chmod|mkdir|rm|xargs)\s+(-{1,2}\w|['\x22+/.])",
            ),
            mark(3, r"^\s*\./[\w.-]+(\s+[\w./-]+)*\s*\r?$"),
            mark(
                3,
                r"\|\s*(grep|awk|sed|sort|uniq|wc|head|tail|xargs|tee|cut|tr|jq|less|python3?|bash|sh|\./\w+)\b",
            ),
            mark(2, r"(2>&1|>\s*/dev/null|>>\s*\S+|<<-?\s*['\x22]?EOF)"),
            mark(2, r"\s\\\r?\n\s+-{1,2}\w"),
            mark(2, r"^\s*(exit|return)\s+\$?\d*\s*\r?$"),
            mark(1, r"^\s*#\s"),
            mark(-3, r"^\s*(def|class|import|from|let|const|var|public|private)\s"),
            mark(-4, r"^\s*(FROM\s+\S+|RUN\s+\S+|COPY\s+\S+\s+\S+|CMD\s+\[|ENTRYPOINT\s+\[)"),
            mark(-4, r"^\s*\$\w+\s*=|^\s*my\s+[$@%]|<\?php"),
        ],
        ..Language::default()
    }
}
