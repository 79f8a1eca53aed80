//! Variables of the caller that reach a command without a sandbox.
//!
//! Such a command has every variable of its caller, and most of them are read by no program that matters here. These are: they tell
//! shells, the loader, interpreters, runners and `make` what to load, what to start or what to print.

use super::follow;
use super::trusted::Trusted;
use std::path::Path;

/// Shells, the loader, compilers; then runners by the names of single variables.
const NAMES: [&str; 49] = [
    "ENV",
    "ZDOTDIR",
    "SHELLOPTS",
    "BASHOPTS",
    "BASH_ENV",
    "BASH_XTRACEFD",
    "BASH_COMPAT",
    "BASH_LOADABLES_PATH",
    "CDPATH",
    "FPATH",
    "IFS",
    "GLOBIGNORE",
    "EXECIGNORE",
    "GLIBC_TUNABLES",
    "GCONV_PATH",
    "LOCPATH",
    "HOME",
    "XDG_CONFIG_HOME",
    "CC",
    "CXX",
    "LD",
    "GOFLAGS",
    "GOROOT",
    "GOENV",
    "GOTOOLCHAIN",
    "GOWORK",
    "GEM_HOME",
    "GEM_PATH",
    "SPEC_OPTS",
    "PHPRC",
    "PHP_INI_SCAN_DIR",
    "PERL5LIB",
    "PERL5OPT",
    "PERL5DB",
    "POETRY_CONFIG_DIR",
    "POETRY_VIRTUALENVS_PATH",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "UV_CONFIG_FILE",
    "UV_ENV_FILE",
    "UV_PROJECT",
    "UV_PROJECT_ENVIRONMENT",
    "UV_PYTHON",
    "UV_PYTHON_INSTALL_DIR",
    "UV_WORKING_DIRECTORY",
    "MFLAGS",
    "GNUMAKEFLAGS",
    "MAKEFLAGS",
    "MAKEFILES",
];

/// Families of variables.
const STARTS: [&str; 28] = [
    "BASH_FUNC_",
    "LD_",
    "DYLD_",
    "PYTHON",
    "PYTEST",
    "COVERAGE_",
    "COV_CORE",
    "NODE_",
    "NPM_CONFIG_",
    "npm_config_",
    "JEST_",
    "VITEST",
    "MOCHA_",
    "TS_NODE_",
    "BABEL_",
    "YARN_",
    "PNPM_",
    "BUN_",
    "CARGO_",
    "RUSTC",
    "RUSTDOC",
    "RUSTFLAGS",
    "RUST_TEST",
    "NEXTEST",
    "CGO_",
    "RUBY",
    "BUNDLE_",
    "HARNESS_",
];

/// Of those families, what changes neither a program nor what it prints: caches, downloads, certificates, and what images and `npm`
/// tell programs about themselves.
const HARMLESS: [&str; 18] = [
    "BUNDLE_SILENCE_ROOT_WARNING",
    "CARGO_BUILD_JOBS",
    "CARGO_INCREMENTAL",
    "CARGO_NET_GIT_FETCH_WITH_CLI",
    "CARGO_NET_RETRY",
    "CARGO_TARGET_DIR",
    "NODE_EXTRA_CA_CERTS",
    "NPM_CONFIG_LOGLEVEL",
    "PYTHON_GET_PIP_URL",
    "npm_config_cache",
    "npm_config_init_module",
    "npm_config_local_prefix",
    "npm_config_node_gyp",
    "npm_config_noproxy",
    "npm_config_npm_version",
    "npm_config_registry",
    "npm_config_user_agent",
    "npm_config_yes",
];

/// Whether a variable may change what a command is, as far as its name and value tell.
pub(super) fn steers_programs(name: &str, value: &str, trusted: &Trusted) -> bool {
    // `PYTHON_VERSION`, `YARN_VERSION`, `PYTHON_SHA256`: of images for containers.
    let is_described = ["_VERSION", "_SHA256"].iter().any(|ending| name.ends_with(ending));
    let is_known = NAMES.contains(&name) || STARTS.iter().any(|start| name.starts_with(start));
    if !is_known || is_described || HARMLESS.contains(&name) {
        return false;
    }
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    match name {
        "HOME" | "XDG_CONFIG_HOME" => !trusted.may_be_home(Path::new(value)),
        "CARGO_HOME"
        | "GOROOT"
        | "NPM_CONFIG_PREFIX"
        | "PNPM_HOME"
        | "RUSTUP_HOME"
        | "UV_PYTHON_INSTALL_DIR"
        | "npm_config_global_prefix"
        | "npm_config_globalconfig"
        | "npm_config_prefix" => !trusted.has(&super::files::plain(Path::new(value))),
        "npm_config_userconfig" => !trusted.is_in_home(Path::new(value), ".npmrc"),
        "MAKEFLAGS" => !value.strip_prefix("-j").unwrap_or(value).bytes().all(|byte| byte.is_ascii_digit()),
        "NODE_OPTIONS" => !value
            .split_whitespace()
            .all(|word| word.strip_prefix("--max-old-space-size=").is_some_and(is_number)),
        "RUSTFLAGS" | "RUSTDOCFLAGS" => !follow::are_plain_flags(&value.into()),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_that_choose_programs_are_told_from_the_others() {
        let trusted = Trusted::of(None, Path::new("/w"));
        for (name, value) in [
            ("BASH_FUNC_pytest%%", "() { echo 12 passed; }"),
            ("BASH_ENV", "/srv/evil"),
            ("ENV", "/srv/evil"),
            ("CDPATH", "/srv"),
            ("LD_PRELOAD", "/srv/evil.so"),
            ("PYTHONPATH", "/srv/evil"),
            ("PYTHONSTARTUP", "/srv/evil"),
            ("PYTEST_ADDOPTS", "-k x"),
            ("NODE_OPTIONS", "--require /srv/evil.js"),
            ("NODE_OPTIONS", "--max-old-space-size=4096 --require=/srv/evil.js"),
            ("npm_config_script_shell", "/srv/evil"),
            ("npm_config_userconfig", "/srv/evil/npmrc"),
            ("CARGO_HOME", "/srv/evil"),
            ("CARGO_HOME", "/w/cargo"),
            ("CARGO_BUILD_RUSTC_WRAPPER", "/srv/evil"),
            ("RUSTC_WRAPPER", "/srv/evil"),
            ("RUSTFLAGS", "-C linker=/srv/evil"),
            ("GOFLAGS", "-exec=/srv/evil"),
            ("GOROOT", "/srv/evil"),
            ("RUBYOPT", "-r/srv/evil"),
            ("MAKEFLAGS", "-j8 --eval=x"),
            ("MAKEFILES", "/srv/evil"),
            ("HOME", "/w/home"),
        ] {
            assert!(steers_programs(name, value, &trusted), "{name}={value}");
        }
        for (name, value) in [
            ("HOME", "/home/u"),
            ("HOME", "/w"),
            ("USER", "u"),
            ("SSH_AUTH_SOCK", "/tmp/x"),
            ("BASH_DEFAULT_TIMEOUT_MS", "120000"),
            ("PYTHON_VERSION", "3.12.1"),
            ("NODE_VERSION", "20.1.0"),
            ("NODE_EXTRA_CA_CERTS", "/etc/ssl/ca.pem"),
            ("NODE_OPTIONS", "--max-old-space-size=4096"),
            ("npm_config_user_agent", "npm/10"),
            ("CARGO_HOME", "/usr/local/cargo"),
            ("RUSTFLAGS", "-D warnings -C target-cpu=native"),
            ("GOPATH", "/home/u/go"),
            ("MAKEFLAGS", "-j8"),
            ("PIP_INDEX_URL", "https://example.org/simple"),
        ] {
            assert!(!steers_programs(name, value, &trusted), "{name}={value}");
        }
    }
}
