# Laid on PYTHONPATH by Actum: random numbers of this interpreter come from a seed (docs/design/determinism.md).
# Only what every start needs is here; the rest is read when a module is imported that draws random numbers.
# Whatever goes wrong is ignored. Python 2 reads this as well, and is left alone.
import sys

SEED = 0
CHILD = "ACTUM_SEED_CHILD"
FOLDER = __file__.rpartition("/")[0]
NAMES = (
    "random",
    "numpy.random",
    "torch",
    "tensorflow",
    "subprocess",
    "multiprocessing.spawn",
    "loky.backend.spawn",
    "joblib.externals.loky.backend.spawn",
)


class Process(object):
    """Which process this is: the way to it from the first one, by ordinals."""

    def __init__(self, path):
        self.forks = {}
        self.entered = []
        self.enter(path)

    def enter(self, path):
        self.path = tuple(path)
        # An iterator, because `next` is one step where threads share it.
        self.ordinals = iter(range(1, 1 << 62))
        for act in self.entered:
            act()

    def child(self):
        return self.path + (next(self.ordinals),)


class Finder(object):
    def __init__(self, process):
        self.process = process
        self.looking = set()
        self.hooks = None

    def load(self):
        if self.hooks is None:
            self.hooks = {}
            with open(FOLDER + "/actum_seed.py") as file:
                scope = {"__name__": "actum_seed"}
                exec(compile(file.read(), file.name, "exec"), scope)
            self.hooks = scope["hooks"](SEED, CHILD, self.process)
            self.attach = scope["attach"]
        return self.hooks

    def find_spec(self, name, path=None, target=None):
        if name not in NAMES or name in self.looking:
            return None
        self.looking.add(name)
        try:
            for finder in list(sys.meta_path):
                find = None if finder is self else getattr(finder, "find_spec", None)
                spec = find and find(name, path, target)
                if spec:
                    try:
                        hook = self.load()[name]
                        self.attach(spec, hook)
                    except Exception:
                        pass
                    return spec
        finally:
            self.looking.discard(name)


def begin():
    import os
    from _thread import get_ident

    path = os.environ.pop(CHILD, "")
    process = Process(int(part) for part in path.split(".") if part)

    def before():
        process.forks[get_ident()] = process.child()

    def after():
        path = process.forks.get(get_ident())
        process.forks.clear()
        process.enter(path or process.child())

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=before, after_in_child=after)
    else:
        forked = os.fork

        def fork():
            before()
            child = forked()
            if child == 0:
                after()
            return child

        os.fork = fork
    finder = Finder(process)
    sys.meta_path.insert(0, finder)
    for name in NAMES:
        if name in sys.modules:
            try:
                finder.load()[name](sys.modules[name])
            except Exception:
                pass


try:
    if sys.version_info >= (3, 6):
        begin()
except Exception:
    pass
try:
    # The list of folders as it is without us, and the name free for whom it belongs to.
    sys.path[:] = [folder for folder in sys.path if folder != FOLDER]
    sys.path_importer_cache.pop(FOLDER, None)
    del sys.modules["sitecustomize"]
except Exception:
    pass
# Found: theirs takes this module's place. Not found: an ImportError, upon which `site` goes on as if there were none.
import sitecustomize  # noqa: E402,F401
