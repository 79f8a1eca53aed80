use super::*;

#[test]
fn a_shell_keeps_its_name_and_what_is_none_is_not_started() {
    for (name, started) in [
        ("/bin/bash", "/bin/bash"),
        ("bash", "bash"),
        ("/usr/bin/zsh", "/usr/bin/zsh"),
        ("-bash", "bash"),
        ("claude", "bash"),
        ("/x/bash", "bash"),
        ("./bash", "bash"),
        ("bin/sh", "bash"),
        ("/usr/bin/../../x/bash", "bash"),
        ("", "bash"),
    ] {
        let shell = Shell::of(OsStr::new(name), OsStr::new("echo x"));
        assert_eq!((shell.name.as_os_str(), shell.words.len()), (OsStr::new(started), 2), "{name}");
    }
}
