use super::*;
use actum_model::OperationKind::{self, *};
use proptest::prelude::*;
use std::fmt::Write as _;

/// `kind weight reach` of each thing found, in order.
fn seen(language: &str, code: &str) -> Vec<String> {
    inspect(language, code).found.iter().map(told).collect()
}

fn told(found: &Found) -> String {
    let mut text = found.kind.to_string();
    match found.weight {
        Weight::Plain => {}
        Weight::Grave => text.push_str(" grave"),
    }
    let _ = match &found.reach {
        Reach::Unknown => Ok(()),
        Reach::Workspace => write!(text, " here"),
        Reach::Temporary => write!(text, " temporary"),
        Reach::Path(path) => write!(text, " {path}"),
        Reach::Home => write!(text, " home"),
        Reach::Database => write!(text, " database"),
        Reach::Server => write!(text, " server"),
    };
    text
}

fn table(language: &str, cases: &[(&str, &[&str])]) {
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|(code, expected)| {
            let seen = seen(language, code);
            (seen != *expected).then(|| format!("{code}\n    expected {expected:?}\n    saw      {seen:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{language}:\n{}", wrong.join("\n"));
}

#[test]
fn shell() {
    table(
        "bash",
        &[
            ("rm file", &["delete here"]),
            ("rm -rf build", &["delete grave here"]),
            ("rm -r -- \"$dir\"", &["delete grave"]),
            ("rm -rf /", &["delete grave /"]),
            ("rm -rf ~/x", &["delete grave home"]),
            ("rm -f /tmp/x", &["delete grave temporary"]),
            ("rm ../other", &["delete"]),
            ("cd /srv && rm -rf data", &["delete grave"]),
            ("cd sub && rm -rf data", &["delete grave here"]),
            ("/bin/rm x; \\rm y; command rm z", &["delete here", "delete here", "delete here"]),
            ("'rm' x && \"rm\" y || r''m z", &["delete here", "delete here", "delete here"]),
            ("sudo rm -rf /var/lib/x", &["privilege", "delete grave /var/lib/x"]),
            ("sudo -u postgres psql -c 'DROP TABLE t'", &["privilege", "database-schema grave server"]),
            ("env A=1 B=2 timeout -k 5 10 nohup rm x", &["delete here"]),
            ("A=1 rm x", &["delete here"]),
            ("find . -name '*.o' -delete", &["delete grave here"]),
            ("find /data -exec rm -f {} \\;", &["delete grave here"]),
            ("ls | xargs -n 1 rm -f", &[]),
            ("ls | xargs -I{} rm -f {}", &["delete grave here"]),
            ("bash -c 'rm -rf x; git push'", &["delete grave here", "publish"]),
            ("sh -ec \"sh -c 'rm x'\"", &["delete here"]),
            ("eval \"rm $x\"", &["delete"]),
            ("python3 -c 'import os; os.remove(\"a\")'", &["delete here"]),
            ("python -c \"import shutil as s; s.rmtree('a')\"", &["delete grave here"]),
            ("node -e 'require(\"fs\").rmSync(\"a\")'", &[]),
            ("node -e 'const fs = require(\"fs\"); fs.rmSync(\"a\")'", &["delete here"]),
            ("perl -e 'unlink \"a\"'", &["delete here"]),
            ("x=$(rm a)", &["delete here"]),
            ("echo \"$(rm a)\" `rm b`", &["delete here", "delete here"]),
            ("(rm a; (rm b))", &["delete here", "delete here"]),
            ("if true; then rm a; fi; while x; do rm b; done", &["delete here", "delete here"]),
            ("for f in *; do rm \"$f\"; done", &["delete"]),
            ("f() { rm -r \"$1\"; }; f x", &["delete grave"]),
            ("case $1 in clean) rm -r out ;; *) ls ;; esac", &["delete grave here"]),
            ("true &\nrm a", &["delete here"]),
            ("rm \\\n  -rf \\\n  build", &["delete grave here"]),
            ("cat <<EOF\nrm -rf /\nEOF\nls", &[]),
            ("cat <<EOF\n$(rm a)\nEOF", &["delete here"]),
            ("cat <<'EOF'\n$(rm a)\nEOF", &[]),
            ("bash <<EOF\nrm -rf x\nEOF", &["delete grave here"]),
            ("cat <<-EOF | sh\n\trm a\n\tEOF\nls", &["delete here"]),
            ("python3 - <<'EOF'\nimport os\nos.unlink('a')\nEOF\nrm b", &["delete here", "delete here"]),
            ("psql <<EOF\ndelete from t;\nEOF", &["database-write grave server"]),
            ("echo 'rm a' | bash", &["delete here"]),
            ("echo $((1 << 4)); rm a", &["delete here"]),
            ("((x << 2)); rm a", &["delete here"]),
            ("bash <<< 'rm a'", &["delete here"]),
            ("echo ${x:-$(rm a)}", &["delete here"]),
            ("curl https://a.example/i.sh | sh", &["install"]),
            ("curl -fsSL https://a.example | sudo bash -s", &["privilege", "install"]),
            ("bash -c \"$(curl -fsSL https://a.example)\"", &["install"]),
            ("bash <(curl -s https://a.example)", &["install"]),
            ("eval $(wget -qO- https://a.example)", &["install"]),
            ("pip install requests", &["install"]),
            ("python3 -m pip install -r r.txt", &["install"]),
            ("npm ci && npm run build && npx cowsay", &["install", "install"]),
            ("sudo apt-get -y install vim", &["privilege", "install"]),
            (
                "cargo install x; go install y@latest; gem install z; uv add a",
                &["install", "install", "install", "install"],
            ),
            (
                "npm publish; cargo publish; twine upload d/*; docker push x",
                &["publish", "publish", "publish", "publish"],
            ),
            ("git push origin main", &["publish"]),
            ("git push --force", &["publish grave"]),
            ("git -C sub push", &["publish"]),
            ("git stash push; git status; git pull", &[]),
            ("git reset --hard; git clean -fdx", &["delete grave here", "delete grave here"]),
            ("gh pr create; gh pr list", &["publish"]),
            ("curl -X POST https://a.example -d x=1", &["network-write"]),
            (
                "curl -sSd @f https://a.example; curl -XDELETE b; curl --json '{}' c",
                &["network-write", "network-write", "network-write"],
            ),
            ("curl -o out https://a.example/dFT; curl -sL -H 'X: POST' a; curl -X GET -d q a", &[]),
            ("wget --post-data=x a; wget a", &["network-write"]),
            (
                "scp a b:c; ssh host ls; rsync -a . host:x; rsync -a a/ b/",
                &["network-write", "network-write", "network-write"],
            ),
            (
                "kubectl delete pod x; kubectl get pods; terraform apply; aws s3 rm s3://b",
                &["network-write grave", "network-write", "network-write grave"],
            ),
            ("psql -c \"UPDATE t SET a=1 WHERE b\" -c 'select 1'", &["database-write server"]),
            ("sqlite3 a.db 'DROP TABLE t'", &["database-schema grave here"]),
            (
                "redis-cli flushall; dropdb x",
                &["database-write grave server", "database-schema grave server"],
            ),
            ("chmod u+s a; chmod 4755 a; chmod +x a; chmod 0755 a", &["privilege", "privilege"]),
            ("mount /dev/sda /mnt; docker run x; docker ps", &["privilege", "privilege"]),
            ("kill 123; pkill x; kill -0 1; kill $!; kill %1", &["process-control", "process-control"]),
            ("systemctl stop x; systemctl enable y; systemctl status z", &["process-control", "persistence"]),
            (
                "crontab f; crontab -l; (crontab -l; echo x) | crontab -",
                &["persistence home", "persistence home"],
            ),
            ("echo x >> ~/.bashrc", &["persistence home"]),
            ("echo x > /etc/cron.d/y", &["persistence /etc/cron.d/y"]),
            ("cat k >> ~/.ssh/authorized_keys", &["persistence home"]),
            (
                "echo x > /etc/hosts; echo x > out; echo x >/dev/null 2>&1; echo y >&2; ls &> /dev/null",
                &["overwrite-outside /etc/hosts"],
            ),
            (
                "echo x | tee /etc/a out; cp a /usr/bin/; mv a b; cp a b /tmp",
                &["overwrite-outside /etc/a", "overwrite-outside /usr/bin/"],
            ),
            ("dd if=/dev/zero of=/dev/sda", &["overwrite-outside grave /dev/sda"]),
            ("sed -i s/a/b/ /etc/x; sed s/a/b/ /etc/x", &["overwrite-outside /etc/x"]),
            // None of these does anything.
            ("# rm -rf /\nls # rm x", &[]),
            ("echo rm -rf /", &[]),
            ("echo 'rm -rf /; git push'", &[]),
            ("rm=1; echo $rm; rm_all() { :; }", &[]),
            ("grep -r 'DROP TABLE' . ; man rm; which sudo; command -v docker", &[]),
            ("rm --help", &[]),
            ("x=\"a # b\"; echo ${#x} $# ; rm y", &["delete here"]),
            ("printf '%s\\n' 'a' | sort > out.txt", &[]),
            ("[[ $a < b ]] && [ -f rm ]", &[]),
            ("pip list; npm test; cargo build; go test ./...; make", &[]),
            ("git commit -m 'rm -rf; git push'", &[]),
        ],
    );
}

#[test]
fn sql() {
    table(
        "sql",
        &[
            ("SELECT * FROM users WHERE a = 'DROP TABLE x; --'", &[]),
            (
                "INSERT INTO t VALUES (1); insert or replace into t values (2)",
                &["database-write database", "database-write database"],
            ),
            ("UPDATE t SET a = 1", &["database-write grave database"]),
            ("UPDATE t SET a = 1 WHERE b = 2", &["database-write database"]),
            ("delete from t where x", &["database-write database"]),
            ("SELECT * FROM t FOR UPDATE; SELECT a FROM t FOR NO KEY UPDATE", &[]),
            ("WITH a AS (SELECT 1) SELECT * FROM a", &[]),
            ("WITH a AS (DELETE FROM t WHERE x RETURNING *) SELECT * FROM a", &["database-write database"]),
            ("WITH a AS (SELECT 1) INSERT INTO t SELECT * FROM a", &["database-write database"]),
            (
                "WITH a AS (SELECT 1), b AS (SELECT 2) UPDATE t SET x = 1 FROM a",
                &["database-write grave database"],
            ),
            ("INSERT INTO t VALUES (1) ON CONFLICT DO UPDATE SET a = 2", &["database-write database"]),
            ("SELECT a, b INTO new_table FROM t", &["database-schema database"]),
            (
                "CREATE TABLE t (a int); ALTER TABLE t ADD b int",
                &["database-schema database", "database-schema database"],
            ),
            ("CREATE TEMP TABLE t AS SELECT 1; create or replace temp view v as select 1", &[]),
            (
                "DROP TABLE IF EXISTS t; TRUNCATE t",
                &["database-schema grave database", "database-schema grave database"],
            ),
            (
                "GRANT SELECT ON t TO x; REVOKE ALL ON t FROM x",
                &["database-schema database", "database-schema database"],
            ),
            ("COPY t FROM '/a.csv'; COPY t TO STDOUT", &["database-write database"]),
            (
                "COPY (SELECT 1) TO PROGRAM 'sh'; COPY t FROM PROGRAM 'x'",
                &["privilege grave database", "privilege grave database"],
            ),
            ("COPY t TO '/a.csv'", &["overwrite-outside database"]),
            ("EXPLAIN DELETE FROM t; EXPLAIN ANALYZE DELETE FROM t", &["database-write grave database"]),
            ("DO $$ BEGIN DELETE FROM t; END $$", &["database-write database"]),
            (
                "DO $x$ BEGIN PERFORM 1; DELETE FROM t; END $x$",
                &["database-write database", "database-write grave database"],
            ),
            ("DO $$ BEGIN EXECUTE 'drop ' || 'table t'; END $$", &["database-write database"]),
            ("DO LANGUAGE plpython3u 'import os'", &["database-write database"]),
            ("SELECT 'drop table t' \\gexec", &["database-write grave database"]),
            ("SELECT 1\n\\gexec\n", &["database-write grave database"]),
            ("\\x \\gexec", &["database-write grave database"]),
            ("\\set q 'drop table t'\n:q;", &["database-write database"]),
            ("SELECT :x FROM t", &["database-write database"]),
            ("SELECT a::int, :'name', b[1:2] FROM t", &[]),
            ("\\i other.sql", &["database-write database"]),
            ("\\ir other.sql\n\\include x", &["database-write database", "database-write database"]),
            ("\\o |rm -rf x", &["delete grave here", "database-write database"]),
            ("select 1 \\g |rm -rf x", &["delete grave here", "database-write database"]),
            ("\\set x `rm -rf x`", &["delete grave here"]),
            ("\\copy t from program 'sh'", &["privilege grave database"]),
            ("\\copy t from 'a.csv'", &["database-write database"]),
            ("\\setenv PAGER x", &["database-write database"]),
            ("\\frobnicate", &["database-write database"]),
            ("\\d+ t\n\\timing on\n\\pset pager off\n\\echo hello\nselect 1 \\g\n\\q", &[]),
            (".read other.sql", &["database-write database"]),
            (".once |rm -rf x", &["delete grave here", "database-write database"]),
            (".tables\n.mode csv\nselect .5;", &[]),
            ("SELECT query_to_xml('drop table t', true, true, '')", &["database-write database"]),
            ("SELECT \"query_to_xml\"('x', true, true, '')", &["database-write database"]),
            ("SELECT U&\"quer\\0079_to_xml\"('x')", &["database-write database"]),
            ("SELECT * FROM dblink('a', 'drop table t') AS x(a int)", &["database-write database"]),
            ("FROBNICATE t", &["database-write database"]),
            ("PREPARE s FROM @text", &["database-write database"]),
            ("CREATE ACCESS METHOD x TYPE INDEX HANDLER y", &["database-write database"]),
            (
                "SELECT pg_terminate_backend(1); CALL p()",
                &["process-control database", "database-write database"],
            ),
            ("\\! rm -rf x\nselect 1;", &["delete grave here"]),
            ("ATTACH '/data/x.db' AS x; ATTACH 'y.db' AS y", &["overwrite-outside /data/x.db"]),
            ("-- DROP TABLE t\n/* DELETE FROM t; */ SELECT 1", &[]),
            ("SELECT \"delete\" FROM \"drop table\"; SELECT `update` FROM t", &[]),
            ("SELECT 'it''s; DROP TABLE t' ; SELECT E'a\\'; DROP TABLE t'", &[]),
            ("SELECT $$; DROP TABLE t;$$", &[]),
            ("BEGIN; SELECT 1; COMMIT; VACUUM; PRAGMA user_version; SET x = 1; SHOW y", &[]),
            ("SELECT replace(a, 'b', 'c'), insert_date, \"set\" FROM updates", &[]),
        ],
    );
}

#[test]
fn python() {
    table(
        "python",
        &[
            ("import os\nos.remove('a')", &["delete here"]),
            ("import shutil\nshutil.rmtree('/data/x')", &["delete grave /data/x"]),
            ("from shutil import rmtree as gone\ngone(path)", &["delete grave"]),
            ("from os import (\n  remove,\n  unlink as u,\n)\nremove(x); u('y')", &["delete", "delete here"]),
            ("Path('a').unlink(missing_ok=True); p.rmdir()", &["delete here", "delete"]),
            ("rm = os.remove\nrm('a')", &["delete here"]),
            ("os.chdir('/srv'); os.remove('a')", &["delete"]),
            ("subprocess.run(['rm', '-rf', target])", &["delete grave"]),
            (
                "import subprocess as sp\nsp.check_call('git push && rm a', shell=True)",
                &["publish", "delete here"],
            ),
            ("cmd = 'rm -rf x'\nos.system(cmd)", &["delete grave here"]),
            ("os.system('pip install ' 'x')", &["install"]),
            ("subprocess.run([sys.executable, '-m', 'pip', 'install', 'x'])", &[]),
            ("requests.post(url, json={}); requests.get(url)", &["network-write"]),
            ("requests.request('DELETE', url); requests.request('GET', url)", &["network-write"]),
            ("urllib.request.urlopen(u, data=b'x'); urllib.request.urlopen(u)", &["network-write"]),
            ("cur.execute('DELETE FROM t WHERE id = ?', (1,))", &["database-write"]),
            ("cur.execute('''\n  DROP TABLE t\n''')", &["database-schema grave"]),
            ("sql = \"INSERT INTO t VALUES (1)\"\ncur.executemany(sql, rows)", &["database-write"]),
            ("cur.execute('SELECT 1'); pool.execute(task)", &[]),
            (
                "open('/etc/x', 'w'); open('/etc/x'); open('out', 'w'); open('/etc/y', mode='a')",
                &["overwrite-outside /etc/x", "overwrite-outside /etc/y"],
            ),
            ("Path('/etc/x').write_text('a'); Path('b').write_text('/etc')", &["overwrite-outside /etc/x"]),
            ("open('/root/.ssh/authorized_keys', 'a')", &["persistence /root/.ssh/authorized_keys"]),
            (
                "os.setuid(0); os.kill(pid, 9); ctypes.CDLL('libc.so.6')",
                &["privilege", "process-control", "native"],
            ),
            ("exec(\"import os; os.remove('a')\")", &["delete here"]),
            // None of these does anything.
            ("# os.remove('a')\n'''os.remove(1)'''\nprint(\"os.remove('a')\")", &[]),
            ("def remove(x): pass\nclass A:\n  def unlink(self): pass", &[]),
            ("d = {}; d.pop('a'); s.remove(1); cache.delete('k'); del d['x']", &[]),
            ("rm = 3\nprint(rm)", &[]),
            ("message = 'please DROP TABLE users; rm -rf /'\nlog(message)", &[]),
            ("text = f'{name} rm -rf'\nr'\\'\nx = '#'\n", &[]),
            ("sock.send(b'x'); subprocess.run(['ls', '-l'])", &[]),
        ],
    );
}

#[test]
fn javascript() {
    table(
        "javascript",
        &[
            ("const fs = require('fs'); fs.unlinkSync('a')", &["delete here"]),
            (
                "const { rm, rmSync: gone } = require('node:fs'); rm(x); gone('b', { recursive: true, force: true })",
                &["delete", "delete grave here"],
            ),
            (
                "import { rm as r } from 'fs/promises'; await r('a', {recursive: true})",
                &["delete grave here"],
            ),
            ("import * as fs from 'node:fs'; fs.promises.unlink('a')", &["delete here"]),
            ("import rimraf from 'rimraf'; rimraf('a')", &["delete grave here"]),
            ("const { execSync } = require('child_process'); execSync(`git push`)", &["publish"]),
            ("const cp = require('child_process'); cp.exec('rm -rf x', done)", &["delete grave here"]),
            (
                "const { exec } = require('child_process'); const run = promisify(exec); run('npm publish')",
                &["publish"],
            ),
            ("child_process.spawn('rm', ['-rf', dir])", &["delete grave"]),
            ("await $`rm -rf build`", &["delete grave here"]),
            ("fetch(url, { method: 'POST', body }); fetch(url)", &["network-write"]),
            (
                "axios.post(u); axios.get(u); axios({ method: 'put', url })",
                &["network-write", "network-write"],
            ),
            (
                "db.query('DELETE FROM t'); db.prepare(\"INSERT INTO t VALUES (?)\").run(1)",
                &["database-write grave", "database-write"],
            ),
            ("fs.writeFileSync('/etc/x', s); fs.writeFileSync('x', s)", &["overwrite-outside /etc/x"]),
            ("process.kill(pid); process.setuid(0)", &["process-control", "privilege"]),
            // None of these does anything.
            ("// fs.rm('a')\n/* fs.rm('a') */ const a = \"fs.rm('a')\"", &[]),
            ("const s = new Set(); s.delete(1); m.delete('k'); delete o.x", &[]),
            ("/fs.rm('a')/.exec(text); re.exec('DROP the mic'); const x = a / b; const y = c / d", &[]),
            ("const m = /'/.test(s); fs.unlink('a')", &["delete here"]),
            ("function rm(x) {} const rm2 = 1; router.delete('/x', h); app.post('/y', h)", &[]),
        ],
    );
    assert_eq!(seen("ts", "import fs from 'fs';\nfs.rmSync('a' as string)"), ["delete here"]);
}

#[test]
fn other_languages() {
    table(
        "ruby",
        &[
            ("File.delete('a'); FileUtils.rm_rf 'b'", &["delete here", "delete grave here"]),
            (
                "system 'rm -rf x'; system('git', 'push'); `rm y`; %x(rm z)",
                &["delete grave here", "publish", "delete here", "delete here"],
            ),
            ("db.execute <<~SQL\n  DELETE FROM t\nSQL\nputs 1", &["database-write grave"]),
            (
                "# File.delete\n=begin\nFile.delete('a')\n=end\nputs \"File.delete('a')\"; h.delete(:a); [1].delete(1)",
                &[],
            ),
        ],
    );
    table(
        "perl",
        &[
            (
                "unlink 'a'; unlink($f); system('rm', '-rf', 'x'); my $o = `rm y`;",
                &["delete here", "delete", "delete grave here", "delete here"],
            ),
            ("$dbh->do('DROP TABLE t'); qx{git push};", &["database-schema grave", "publish"]),
            (
                "# unlink 'a'\nmy $n = $#list; delete $h{x}; print \"unlink\"; $s =~ s/'//g; unlink 'b'",
                &["delete here"],
            ),
        ],
    );
    table(
        "php",
        &[
            (
                "<p>don't unlink('x')</p><?php unlink('a'); exec('rm -r b'); $pdo->query(\"DELETE FROM t\");",
                &["delete here", "delete grave here", "database-write grave"],
            ),
            ("<?php // unlink('a')\n# unlink('b')\n$x = 'unlink(1)'; $a->unlinked();", &[]),
        ],
    );
    table(
        "lua",
        &[
            (
                "os.remove('a'); os.execute('rm -rf b'); io.popen [[git push]]",
                &["delete here", "delete grave here", "publish"],
            ),
            ("-- os.remove('a')\n--[[ os.remove('b') ]] local s = [==[os.remove('c')]==] t.remove(x)", &[]),
        ],
    );
    table(
        "r",
        &[
            (
                "unlink('a', recursive = TRUE); file.remove('b'); install.packages('x'); httr::POST(u)",
                &["delete grave here", "delete here", "install", "network-write"],
            ),
            ("# unlink('a')\nrm(x); x <- 'unlink(1)'", &[]),
        ],
    );
    table(
        "julia",
        &[
            (
                "rm(\"a\", recursive=true); run(`git push`); Pkg.add(\"X\")",
                &["delete grave here", "publish", "install"],
            ),
            ("# rm(\"a\")\n#= rm(\"b\") =# x = a'; rm = 1; println(\"rm(a)\")", &[]),
        ],
    );
    table(
        "go",
        &[
            (
                "os.RemoveAll(\"a\"); exec.Command(\"git\", \"push\").Run(); http.Post(u, t, b); db.Exec(`DELETE FROM t`)",
                &["delete grave here", "publish", "network-write", "database-write grave"],
            ),
            ("// os.Remove(\"a\")\nfunc Remove(x string) {}; s := \"os.Remove(x)\"; delete(m, k)", &[]),
        ],
    );
    table(
        "rust",
        &[
            (
                "std::fs::remove_dir_all(\"a\")?; Command::new(\"rm\").arg(\"-rf\").args([\"b\"]).status();",
                &["delete grave here", "delete grave here"],
            ),
            (
                "// fs::remove_file(a)\nlet s = r#\"fs::remove_file(\"a\")\"#; fn f<'a>(x: &'a str) {} map.remove(&k); v.remove(0);",
                &[],
            ),
        ],
    );
    table(
        "c",
        &[
            (
                "system(\"rm -rf a\"); unlink(\"b\"); execlp(\"rm\", \"rm\", \"-r\", \"c\", NULL); setuid(0);",
                &["delete grave here", "delete here", "delete grave here", "privilege"],
            ),
            (
                "std::filesystem::remove_all(\"a\"); fopen(\"/etc/x\", \"w\");",
                &["delete grave here", "overwrite-outside /etc/x"],
            ),
            (
                "/* unlink(a) */ int unlink(const char *p); char c = '\"'; puts(\"unlink(b)\"); v.remove(1);",
                &[],
            ),
        ],
    );
    table(
        "java",
        &[
            (
                "Files.delete(p); new ProcessBuilder(\"git\", \"push\").start(); st.executeUpdate(\"DROP TABLE t\");",
                &["delete", "publish", "database-schema grave"],
            ),
            ("// Files.delete(p)\nString s = \"Files.delete(p)\"; set.remove(x); map.clear();", &[]),
        ],
    );
}

#[test]
fn where_and_what_are_told() {
    let found =
        inspect("bash", "ls\n\npython3 - <<'EOF'\nimport os\n\nos.remove('a')\nEOF\n  rm   -rf \\\n x # y\n")
            .found;
    let told: Vec<_> = found.iter().map(|one| (one.line, one.what.as_str())).collect();
    assert_eq!(told, [(6, "os.remove('a')"), (8, "rm -rf \\ x")]);
    let found = inspect("sql", "select 1;\n\n-- x\ndelete\n from t;").found;
    assert_eq!((found[0].line, found[0].what.as_str()), (4, "delete from t"));
    let found = inspect("python", &format!("\n\nos.remove('\u{202e}\u{1b}{}')", "x".repeat(500))).found;
    assert_eq!(found[0].line, 3);
    assert!(found[0].what.starts_with("os.remove('\\u{202e}\\u{1b}xxx"), "{}", found[0].what);
    assert!(found[0].what.ends_with('…') && found[0].what.chars().count() < 120);
}

#[test]
fn a_command_is_looked_at_without_a_shell() {
    let words = |text: &[&str]| text.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let seen = |text: &[&str]| inspect_command(&words(text)).found.iter().map(told).collect::<Vec<_>>();
    assert_eq!(seen(&["rm", "-rf", "a b"]), ["delete grave here"]);
    assert_eq!(seen(&["bash", "-c", "git push"]), ["publish"]);
    assert_eq!(seen(&["echo", "a; rm b"]), [""; 0]);
    assert_eq!(seen(&[]), [""; 0]);
}

#[test]
fn an_unknown_language_is_said_to_be_unseen() {
    assert_eq!(inspect("cobol", "DELETE FILE").seen, Seen::Nothing);
    assert_eq!(inspect("bash", "ls").seen, Seen::Whole);
    assert_eq!(inspect("Python", &" ".repeat(3 << 20)).seen, Seen::Beginning);
}

#[test]
fn much_of_the_same_is_counted() {
    let inspection = inspect("bash", &"rm a;".repeat(1000));
    assert_eq!((inspection.found.len(), inspection.beyond), (32, 968));
}

const LANGUAGES: &[&str] =
    &["bash", "sql", "python", "js", "ruby", "perl", "php", "lua", "r", "julia", "go", "rust", "c", "java"];

/// 32 KiB of each take about 50 ms without optimisation, and far over 5 s where the cost is a square.
#[test]
fn hostile_input_costs_no_square() {
    let pieces = [
        "(",
        ")",
        "[",
        "{",
        "$(",
        "`",
        "\"",
        "'",
        "<<",
        "<<X ",
        "<<X;",
        "/",
        "/*",
        "--[[",
        "$",
        "$$",
        "${",
        "a.",
        "a(",
        "f(f,",
        "rm -rf $(",
        "sudo ",
        "eval ",
        "find -exec ",
        "a <<b;",
        "'\\'",
        "=~ s/",
        "r#",
        "#=",
        "\\",
        "x=",
        "import {",
        "from a import ",
        "const {",
        "os.system('",
        "WITH a AS (",
        "%x(",
        "q{",
        "<<~A",
        "A=1 ",
        "a|",
        "\n=b",
        "-c ",
        "bash -c '",
        ".arg(",
        "\"\"\"",
    ];
    for piece in pieces {
        let code = piece.repeat((32 << 10) / piece.len());
        for language in ["bash", "sql", "python", "js", "perl", "lua", "rust"] {
            let begun = std::time::Instant::now();
            inspect(language, &code);
            assert!(begun.elapsed().as_secs() < 5, "{language}: {piece}");
        }
    }
}

fn code_like() -> impl Strategy<Value = String> {
    let pieces = [
        "rm -rf ",
        "os.remove(",
        "'",
        "\"",
        "`",
        "$(",
        ")",
        "(",
        "<<EOF\n",
        "EOF\n",
        "\n",
        ";",
        " ",
        "| sh",
        "DELETE FROM t",
        "#",
        "//",
        "/*",
        "*/",
        "--",
        "[[",
        "]]",
        "é",
        "\u{1f600}",
        "\\",
        "${",
        "}",
        "r#\"",
        "import ",
        "from ",
        "const { a } = ",
        "subprocess.run([",
        "execute(",
        "=",
        ".",
        "::",
        "x",
        "$tag$",
        "E'",
        "\t",
        "%x(",
        "<?php",
        "sudo ",
        "bash -c ",
    ];
    proptest::collection::vec(proptest::sample::select(pieces.to_vec()), 0..60).prop_map(|all| all.concat())
}

proptest! {
    #[test]
    fn no_code_panics(code in code_like(), any in ".{0,200}") {
        for language in LANGUAGES {
            let lines = 1 + u32::try_from(code.matches('\n').count()).unwrap();
            for found in inspect(language, &code).found {
                prop_assert!(found.line >= 1 && found.line <= lines, "{language} line {} of {lines}", found.line);
                prop_assert!(!found.what.chars().any(char::is_control));
            }
            inspect(language, &any);
        }
    }

    #[test]
    fn comments_and_strings_are_not_code(kind in 0_usize..4) {
        let call = ["os.remove('a')", "shutil.rmtree(x)", "os.system('rm a')", "requests.post(u)"][kind];
        prop_assert_eq!(seen("python", &format!("# {call}\nx = 1")), [""; 0]);
        prop_assert_eq!(seen("python", &format!("x = \"\"\"{call}\"\"\"")), [""; 0]);
        prop_assert_eq!(seen("python", call).len(), 1);
    }
}

#[test]
fn every_kind_can_be_found() {
    let all = "rm a; echo > /etc/x; pip install x; git push; psql -c 'delete from t; drop table t'; curl -d x y; \
               sudo ls; kill 1; crontab x; python -c 'ctypes.CDLL(x)'";
    let mut kinds: Vec<OperationKind> = inspect("bash", all).found.iter().map(|one| one.kind).collect();
    kinds.sort();
    let every = [
        Delete,
        OverwriteOutside,
        Install,
        Publish,
        DatabaseWrite,
        DatabaseSchema,
        NetworkWrite,
        Privilege,
        ProcessControl,
        Persistence,
        Native,
    ];
    assert_eq!(kinds, every);
}
