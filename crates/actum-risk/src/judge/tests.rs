use super::super::{inspect, question};
use super::*;
use actum_model::{Approval, Seen};

/// Policies in words, so that a row of the table reads like a command line.
fn policy(words: &str) -> (Policy, Tier) {
    let mut tier = Tier::N;
    let mut policy = Profile::Default.policy();
    for word in words.split_whitespace() {
        match word.split_once('=').unwrap_or((word, "")) {
            ("default", _) => {}
            ("locked", _) => policy = Profile::Locked.policy(),
            ("open", _) => policy = Profile::Open.policy(),
            ("in-place", _) => policy.workspace = WorkspaceMode::InPlace,
            ("read-only", _) => policy.workspace = WorkspaceMode::ReadOnly,
            ("write", path) => policy.grants.push(Grant::Write(path.into())),
            ("net", hosts) => policy.network = Network::parse(hosts).unwrap(),
            ("L", _) => tier = Tier::L,
            ("none", _) => tier = Tier::None,
            (other, _) => panic!("{other}"),
        }
    }
    (policy, tier)
}

fn risk(setting: &str, (language, code): (&str, &str), database: Option<&Database>) -> Risk {
    let (policy, tier) = policy(setting);
    let workspace = Path::new("/home/ada/project");
    judge(inspect(language, code), &Setting { policy: &policy, tier, workspace, database })
}

#[test]
fn what_matters_is_what_the_walls_let_through() {
    use RiskLevel::{High, Low, Medium, None};
    let cases: &[(&str, &str, RiskLevel)] = &[
        ("default", "ls", None),
        ("default", "rm -rf build", Low),
        ("default", "rm -rf /", Low),
        ("read-only", "rm -rf build", Low),
        ("in-place", "rm a", Medium),
        ("in-place", "rm -rf build", High),
        ("in-place", "rm -rf /", High),
        ("in-place", "rm -rf ~", High),
        ("in-place", "rm -rf /tmp/x", Low),
        ("in-place", "rm -rf /home/ada/project/x", High),
        ("in-place", "rm -rf /home/ada/other", Low),
        ("in-place read-only", "rm -rf build", Low),
        ("L", "rm a", Medium),
        ("L", "rm -rf build", High),
        ("L read-only", "rm -rf build", Low),
        ("none open", "rm -rf /tmp/x", High),
        ("open", "rm -rf build", Low),
        ("write=/data", "rm -rf build", Low),
        ("write=/data", "rm -rf \"$x\"", High),
        ("write=/data", "rm -rf /data/x", High),
        ("write=/data", "rm -rf /", High),
        ("write=/data", "cd /data; rm -rf x", High),
        ("write=/data", "rm -rf /database", Low),
        ("default", "echo x > /etc/hosts", Low),
        ("write=/etc", "echo x > /etc/hosts", Medium),
        ("none open", "echo x > /etc/hosts", High),
        ("default", "echo x > /home/ada/project/y", Low),
        ("default", "git push", Low),
        ("locked", "git push", Low),
        ("net=github.com", "git push", High),
        ("net=full", "git push", High),
        ("default", "pip install x", Low),
        ("net=a.example", "pip install x", Medium),
        ("net=full", "pip install x", Medium),
        ("default", "curl -d x https://a.example", Low),
        ("net=a.example", "curl -d x https://a.example", Medium),
        ("net=full", "curl -d x https://a.example", High),
        ("net=full", "curl https://a.example", None),
        ("net=none", "curl -d x https://a.example", Low),
        ("default", "sudo ls", Low),
        ("open", "sudo ls", Medium),
        ("none open", "sudo ls", High),
        ("default", "kill 1", Low),
        ("L", "kill 1", Medium),
        ("none open", "kill 1", High),
        ("default", "crontab x", Low),
        ("in-place", "echo x > .git/hooks/pre-commit", Low),
        ("write=/etc", "echo x > /etc/cron.d/x", High),
        ("open", "systemctl enable x", Medium),
        ("default", "psql -c 'delete from t'", Low),
        ("net=db.example:5432", "psql -c 'delete from t'", High),
        ("default", "sqlite3 a.db 'drop table t'", Low),
        ("in-place", "sqlite3 a.db 'drop table t'", High),
        ("default", "python3 -c 'ctypes.CDLL(x)'", Low),
    ];
    for (setting, code, level) in cases {
        let risk = risk(setting, ("bash", code), Option::None);
        assert_eq!(risk.level, *level, "{setting}: {code}: {risk:?}");
        for operation in &risk.operations {
            assert!(!operation.why.is_empty());
            assert!(
                operation.level > Low || operation.contained || *setting == "in-place",
                "{setting}: {code}"
            );
        }
    }
}

#[test]
fn a_database_is_judged_by_where_it_is() {
    use RiskLevel::{High, Low, Medium};
    let inside = Database::File("/home/ada/project/a.db".into());
    let relative = Database::File("a.db".into());
    let cases: &[(&str, &str, Option<&Database>, RiskLevel)] = &[
        ("default", "DELETE FROM t", None, Low),
        ("in-place", "DROP TABLE t", Some(&Database::Memory), Low),
        ("default", "DROP TABLE t", Some(&inside), Low),
        ("default", "DROP TABLE t", Some(&relative), Low),
        ("in-place", "DROP TABLE t", Some(&inside), High),
        ("in-place", "INSERT INTO t VALUES (1)", Some(&relative), Medium),
        ("default", "INSERT INTO t VALUES (1)", Some(&Database::Postgres), High),
        ("net=db.example:5432", "CREATE TABLE t (a int)", Some(&Database::Postgres), High),
        ("net=db.example:5432", "COPY t TO PROGRAM 'sh'", Some(&Database::Postgres), High),
        ("net=db.example:5432", "SELECT 1", Some(&Database::Postgres), RiskLevel::None),
    ];
    for (setting, code, database, level) in cases {
        let risk = risk(setting, ("sql", code), *database);
        assert_eq!(risk.level, *level, "{setting}: {code}: {risk:?}");
    }
}

#[test]
fn ordinary_programs_are_not_asked_about() {
    let program = "import os, shutil, sqlite3, subprocess, requests\nshutil.rmtree('build')\nos.remove('a')\n\
                   subprocess.run(['git', 'push'])\nrequests.post(u)\ncur.execute('DROP TABLE t')\nos.system('sudo reboot')";
    for profile in ["default", "locked", "open net=none"] {
        let level = risk(profile, ("python", program), None).level;
        assert!(!Approval::Risky.asks(level), "{profile}: {level}");
    }
    assert!(Approval::Risky.asks(risk("net=full", ("python", program), None).level));
}

#[test]
fn the_gravest_come_first_and_the_rest_is_counted() {
    let code =
        format!("{}\nrm -rf x", (0..100).map(|n| format!("rm /data/{n}")).collect::<Vec<_>>().join("\n"));
    let risk = risk("in-place", ("bash", &code), None);
    assert_eq!((risk.operations[0].line, risk.operations[0].level), (101, RiskLevel::High));
    assert_eq!((risk.operations.len(), risk.beyond), (24, 77));
}

#[test]
fn a_person_is_asked_in_a_few_lines() {
    let risk = risk("in-place", ("bash", "rm -rf build\ngit push\nrm a"), None);
    let expected = "\
2 operations would change state outside the run (risk: high):
  line 1: delete: rm -rf build
    the workspace is written directly, and deleted files cannot be restored (high)
  line 3: delete: rm a
    the workspace is written directly, and deleted files cannot be restored (medium)
  and 1 more of the same or a lower risk
Run it?";
    assert_eq!(question(&risk).join("\n"), expected);
    let nothing = Risk { seen: Seen::Nothing, ..Risk::default() };
    let expected = "\
Nothing was found that changes state outside the run (risk: none).
  the code was not checked: there are no rules for its language
Run it?";
    assert_eq!(question(&nothing).join("\n"), expected);
}
