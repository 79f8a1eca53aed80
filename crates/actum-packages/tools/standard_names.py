"""Lists the public names of Python's own modules, as one interpreter has them.

Run once with each interpreter, oldest first, and hand the lists to `--diff`:

    for python in python3.6 … python3.13; do $python standard_names.py > names.$version; done
    python3 standard_names.py --diff names.3.6 … names.3.13 > data/python/standard-names.tsv

A name that one version has and the next one has not was removed in the next one. Modules that are gone as a whole are
in removed-standard.tsv; only names within modules that live on are listed. Works with every Python from 2.7 on.
"""
import importlib
import pkgutil
import sys
import warnings

SKIP = {"antigravity", "this", "idlelib", "test", "turtledemo", "lib2to3", "__main__", "turtle"}
PACKAGES = ["xml", "xml.etree", "xml.dom", "xml.sax", "json", "email", "http", "urllib", "concurrent", "logging",
            "multiprocessing", "unittest", "collections", "importlib", "asyncio", "ctypes", "os", "wsgiref", "dbm", "tkinter"]

# What a listing cannot see: names that a module still makes when it is asked for them, and a version that was not at hand.
# The first is told in the notes of Python 3.10, the others in those of 3.14.
ASKED_FOR = {"collections": "3.10"}
NOTED = {name: "3.14" for name in """ast.Bytes ast.Ellipsis ast.NameConstant ast.Num ast.Str asyncio.AbstractChildWatcher
asyncio.FastChildWatcher asyncio.MultiLoopChildWatcher asyncio.SafeChildWatcher asyncio.ThreadedChildWatcher
asyncio.get_child_watcher asyncio.set_child_watcher importlib.abc.ResourceReader importlib.abc.Traversable
importlib.abc.TraversableResources pkgutil.find_loader pkgutil.get_loader pty.master_open pty.slave_open sqlite3.version
sqlite3.version_info urllib.parse.Quoter""".split()}


def modules():
    names = set(getattr(sys, "stdlib_module_names", ()) or (name for _, name, _ in pkgutil.iter_modules() if True))
    names |= set(sys.builtin_module_names)
    for package in PACKAGES:
        try:
            module = importlib.import_module(package)
        except Exception:
            continue
        for _, name, _ in pkgutil.iter_modules(getattr(module, "__path__", []), package + "."):
            names.add(name)
    return sorted(name for name in names if name.split(".")[0] not in SKIP and not name.split(".")[-1].startswith("_"))


def public(module):
    names = getattr(module, "__all__", None) or []
    found = {name for name in dir(module) if not name.startswith("_")} | set(names)
    for name in sorted(found):
        value = getattr(module, name, None)
        if type(value).__name__ == "module":
            continue
        yield name, value


def listing():
    warnings.simplefilter("ignore")
    import sysconfig
    own = sysconfig.get_paths()["stdlib"]
    for name in modules():
        try:
            module = importlib.import_module(name)
        except BaseException:
            continue
        origin = getattr(module, "__file__", None) or own
        if "site-packages" in origin or not origin.startswith(own):
            continue
        print(name)
        for attribute, value in public(module):
            print(name + "." + attribute)
            home = getattr(value, "__module__", None)
            if isinstance(value, type) and home in (name, "_" + name):
                for method in sorted(m for m in vars(value) if not m.startswith("_")):
                    print(name + "." + attribute + "." + method)


def removed(files):
    lists = [(path.rsplit("names.", 1)[-1], set(open(path).read().split())) for path in files]
    gone = {}
    for (_, old), (version, new) in zip(lists, lists[1:]):
        for name in old - new:
            parent = name.rsplit(".", 1)[0]
            if parent in new or parent == name:
                gone[name] = version
        for name in new:
            gone.pop(name, None)
    for name in gone:
        gone[name] = ASKED_FOR.get(name.split(".")[0], gone[name])
    gone.update(NOTED)
    for name in sorted(gone):
        if "." in name:
            print(name + "\t" + gone[name])


if __name__ == "__main__":
    removed(sys.argv[2:]) if sys.argv[1:2] == ["--diff"] else listing()
