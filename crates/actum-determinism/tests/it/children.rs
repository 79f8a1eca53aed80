//! Processes that a Python program starts: each draws numbers of its own, and draws them again in the next run.

use crate::world::{World, packages, printed, python};
use actum_determinism::Profile;
use std::collections::BTreeSet;

/// What four children drew, in their order.
const POOL: &str = "
import multiprocessing, random, sys
at_import = random.Random().random()
def draw(queue, at):
    queue.put((at, at_import, random.random(), random.Random().random()))
if __name__ == '__main__':
    context = multiprocessing.get_context(sys.argv[1])
    queue = context.Queue()
    children = [context.Process(target=draw, args=(queue, at)) for at in range(4)]
    for child in children: child.start()
    drawn = sorted(queue.get() for _ in children)
    for child in children: child.join()
    print('\\n'.join(' '.join(map(str, row)) for row in drawn))
";

fn columns(printed: &str) -> Vec<BTreeSet<String>> {
    let mut columns = vec![BTreeSet::new(); 4];
    for line in printed.lines() {
        for (column, word) in columns.iter_mut().zip(line.split(' ')) {
            column.insert(word.to_owned());
        }
    }
    columns
}

#[test]
fn children_of_each_start_method_draw_their_own_numbers_again() {
    let Some(python) = python() else { return };
    for method in ["fork", "spawn", "forkserver"] {
        let world = World::new(Profile::Pinned);
        world.file("pool.py", POOL);
        let drawn = world.run(&python, &["pool.py", method]);
        assert_eq!(drawn, world.run(&python, &["pool.py", method]), "{method}");
        let columns = columns(&drawn);
        assert_eq!((columns[2].len(), columns[3].len()), (4, 4), "{method}: {drawn}");
        // A forked child does not import again.
        assert_eq!(columns[1].len(), if method == "fork" { 1 } else { 4 }, "{method}: {drawn}");
    }
}

#[test]
fn programs_started_one_by_one_draw_their_own_numbers_again() {
    let Some(python) = python() else { return };
    let world = World::new(Profile::Pinned);
    world.file(
        "a.py",
        "import os, subprocess, sys
child = [sys.executable, '-c', 'import random, os; print(random.random(), [name for name in os.environ if name.endswith(\"CHILD\")])']
for variables in (None, None, dict(os.environ)):
    print(subprocess.run(child, env=variables, stdout=subprocess.PIPE, check=True).stdout.decode().strip())
try: subprocess.run(['/there/is/no/such/program'])
except FileNotFoundError as error: print(error.filename)
",
    );
    let drawn = world.run(&python, &["a.py"]);
    assert_eq!(drawn, world.run(&python, &["a.py"]));
    let lines: BTreeSet<&str> = drawn.lines().collect();
    assert_eq!(lines.len(), 4, "{drawn}");
    assert!(drawn.lines().take(3).all(|line| line.ends_with(" []")), "{drawn}");
    assert!(lines.contains("/there/is/no/such/program"));
}

#[test]
fn a_pool_of_executors_works() {
    let Some(python) = python() else { return };
    let world = World::new(Profile::Pinned);
    world.file(
        "a.py",
        "from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
import random
def square(x): return x * x + 0 * random.random()
if __name__ == '__main__':
    for kind in (ProcessPoolExecutor, ThreadPoolExecutor):
        with kind(3) as pool: print(sum(pool.map(square, range(20))))
",
    );
    assert_eq!(world.run(&python, &["a.py"]), "2470.0\n2470.0");
}

#[test]
fn workers_of_joblib_draw_their_own_numbers() {
    let (Some(python), Some(folder)) = (python(), packages(&["joblib", "cloudpickle"])) else { return };
    let world = World::new(Profile::Pinned);
    world.file(
        "a.py",
        "import random, time
from joblib import Parallel, delayed
def draw(at):
    time.sleep(0.3)
    return random.random()
if __name__ == '__main__':
    print(len(set(Parallel(n_jobs=2)(delayed(draw)(at) for at in range(4)))))
",
    );
    let callers = [("PYTHONPATH", folder.path().to_str().unwrap())];
    assert_eq!(printed(&world.command(&python, &callers).arg("a.py").output().unwrap()), "4");
}
