//! Builds the library that strict runs preload, with the C compiler that the grammars of actum-syntax need as well.
//!
//! It is linked without a libc, so that it asks for no version of one: its few references are resolved in whatever libc the
//! program has. Before 2.34 glibc kept `dlsym` in a library of its own, which therefore is named as needed, by way of an empty
//! library of that name; later ones still have it.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

const SOURCE: &str = "native/preload.c";
const LIBRARY: &str = "libactum_preload.so";
/// No protector: its canary is a symbol of libc's. No builtins: loops would become calls.
const FLAGS: &[&str] = &[
    "-std=gnu11",
    "-fvisibility=hidden",
    "-fno-stack-protector",
    "-fno-builtin",
    "-fno-asynchronous-unwind-tables",
    "-U_FORTIFY_SOURCE",
];

fn main() {
    println!("cargo:rerun-if-changed={SOURCE}");
    println!("cargo:rerun-if-changed=build.rs");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo names the folder for what is built"));
    let compiler = cc::Build::new().opt_level(2).debug(false).warnings(false).pic(true).get_compiler();
    let empty = out.join("libdl.so.2");
    link(compiler.to_command().args(["-Wl,-soname,libdl.so.2", "-x", "c", "/dev/null"]), &empty);
    // Compiled apart: some compilers forget the headers of a libc that is not linked.
    let object = out.join("preload.o");
    run(compiler.to_command().args(FLAGS).args(["-c", SOURCE, "-o"]).arg(&object));
    let soname = format!("-Wl,-soname,{LIBRARY}");
    let mut command = compiler.to_command();
    command.args([&soname, "-Wl,--no-as-needed", "-Wl,-z,now", "-Wl,-s"]).args([&object, &empty]);
    link(&mut command, &out.join(LIBRARY));
}

fn link(command: &mut Command, output: &Path) {
    run(command.args(["-shared", "-nostdlib", "-o"]).arg(output));
}

fn run(command: &mut Command) {
    let status = command.status().unwrap_or_else(|error| panic!("cannot run the C compiler: {error}"));
    assert!(status.success(), "the C compiler failed: {command:?}");
}
