"""What a release offers: the public names of its modules, classes and parameters, read with the parser alone.

`names_of(files)` takes the Python files of one release (path -> text) and the paths of its compiled modules, and gives a
`Release`: which names are there, and which modules cannot be seen into. Nothing is imported or executed.
"""
import ast
import re

SKIPPED_PARTS = {"tests", "test", "testing", "_vendor", "vendor", "vendored", "_vendored", "examples", "benchmarks", "docs",
                 "doc", "conftest", "setup", "site-packages", "third_party", "extern", "compat"}
METHODS_PER_CLASS = 400


class Module:
    def __init__(self, name, is_package):
        self.name, self.is_package = name, is_package
        self.defined = {}      # name -> node, or None for a plain variable
        self.imported = {}     # name -> (module, name within it or None)
        self.stars = []        # modules whose names are taken over
        self.all = None        # `__all__`, as far as it can be read
        self.computed = False  # more is in it than can be read
        self.texts = set()     # strings within a module that answers for names by itself
        self.answers = False   # has `__getattr__`: names come and go unseen


class Release:
    """Public names of one release, and where nothing can be said."""

    def __init__(self):
        self.names = set()
        self.seen = set()    # these, and names that a module merely uses: they are there, but nobody is told of them
        self.open = {}       # module -> strings in it: it may have more names than are seen
        self.open_calls = set()   # callables that take any keyword
        self.open_classes = set()


def names_of(files, compiled):
    modules = {}
    for path, text in files.items():
        name, is_package = module_name(path)
        if name is None:
            continue
        module, is_stub = modules.get(name), path.endswith(".pyi")
        fresh = read(name, is_package, text, is_stub)
        modules[name] = merged(module, fresh) if is_stub and module else merged(fresh, module)
    release = Release()
    opaque = {name for name, _ in map(module_name, compiled) if name}
    for name in opaque:
        if is_public(name):
            release.names.add(name)
            release.open.setdefault(name, set())
    for module in modules.values():
        if is_public(module.name):
            describe(module, modules, release)
    return release


def module_name(path):
    stem = re.sub(r"(\.cpython-[^/]*|\.abi3)?\.(pyi?|so|pyd|pyx)$", "", path)
    parts = stem.split("/")
    is_package = parts[-1] == "__init__"
    parts = parts[:-1] if is_package else parts
    if not parts or any(part in SKIPPED_PARTS or not part.isidentifier() for part in parts):
        return None, False
    return ".".join(parts), is_package


def is_public(name):
    return not any(part.startswith("_") for part in name.split("."))


def merged(one, other):
    if other is None:
        return one
    for name, node in other.defined.items():
        one.defined.setdefault(name, node)
    for name, source in other.imported.items():
        one.imported.setdefault(name, source)
    one.texts |= other.texts
    return one


def read(name, is_package, text, path_is_stub=False):
    module = Module(name, is_package)
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        # The syntax of Python 2: its top-level names can still be told, its parameters cannot.
        for match in re.finditer(r"^(?:def|class)\s+(\w+)|^(\w+)\s*=[^=]", text, re.M):
            module.defined[match.group(1) or match.group(2)] = None
        return module
    statements(tree.body, module)
    if path_is_stub:
        hide_parameters(module)
    if "__getattr__" in module.defined or "__getattr__" in module.imported or is_package and "lazy" in text:
        module.answers = True
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < 80:
                module.texts.add(node.value)
    return module


def hide_parameters(module):
    """A stub tells the same function several times, each with other parameters: none of them is all of it."""
    for name, node in module.defined.items():
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            module.defined[name] = None


def statements(body, module):
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            module.defined[node.name] = node
        elif isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                for name in ast.walk(target):
                    if isinstance(name, ast.Name):
                        module.defined.setdefault(name.id, None)
                        if name.id == "__all__":
                            note_all(module, node)
                        alias(module, name.id, node)
        elif isinstance(node, ast.Import):
            for one in node.names:
                bound = one.asname or one.name.split(".")[0]
                module.imported[bound] = (one.name if one.asname else one.name.split(".")[0], None)
        elif isinstance(node, ast.ImportFrom):
            source = absolute(module, node)
            for one in node.names:
                if one.name == "*":
                    module.stars.append(source)
                else:
                    module.imported[one.asname or one.name] = (source, one.name)
        elif isinstance(node, (ast.If, ast.For, ast.While)):
            statements(node.body + node.orelse, module)
        elif isinstance(node, ast.With):
            statements(node.body, module)
        elif isinstance(node, ast.Try):
            handlers = [statement for handler in node.handlers for statement in handler.body]
            statements(node.body + handlers + node.orelse + node.finalbody, module)


def alias(module, name, node):
    """`old = new`: the old name is what the new one is."""
    value = getattr(node, "value", None)
    if isinstance(value, ast.Name) and value.id in module.defined and module.defined[value.id] is not None:
        module.defined[name] = module.defined[value.id]


def note_all(module, node):
    value = getattr(node, "value", None)
    names = [item.value for item in ast.walk(value) if isinstance(item, ast.Constant) and isinstance(item.value, str)] if value else []
    module.all = (module.all or []) + names
    is_plain = isinstance(value, (ast.List, ast.Tuple)) and all(isinstance(item, ast.Constant) for item in value.elts)
    module.computed = module.computed or not is_plain


def absolute(module, node):
    if not node.level:
        return node.module or ""
    parts = module.name.split(".")
    drop = node.level - (1 if module.is_package else 0)
    base = parts[:len(parts) - drop] if drop else parts
    return ".".join(base + ([node.module] if node.module else []))


def exported(module, modules, seen):
    """Name -> (module, node) of everything that can be taken out of a module; and whether all of it is seen."""
    if module.name in seen:
        return {}, True
    seen = seen | {module.name}
    found, complete = {}, not module.answers and not module.computed
    for source in module.stars:
        if source in modules:
            inner, whole = exported(modules[source], modules, seen)
            limit = None if modules[source].computed else modules[source].all
            found.update({name: value for name, value in inner.items() if (name in limit if limit else not name.startswith("_"))})
            complete = complete and whole
        else:
            complete = False
    for name, (source, inner) in module.imported.items():
        found[name] = resolve(source, inner, modules, seen)
    for name, node in module.defined.items():
        found[name] = (module, node)
    return found, complete


def resolve(source, inner, modules, seen):
    """What an imported name stands for: (module, node), or nothing for what is of another package."""
    if inner is None:
        return (modules[source], "module") if source in modules else (None, "foreign")
    if source + "." + inner in modules:
        return modules[source + "." + inner], "module"
    target = modules.get(source)
    if target is None:
        return None, "foreign"
    if inner in target.defined:
        return target, target.defined[inner]
    if target.name in seen or len(seen) > 8:
        return target, None
    if inner in target.imported:
        return resolve(*target.imported[inner], modules, seen | {target.name})
    for star in target.stars:
        if star in modules:
            value = resolve(star, inner, modules, seen | {target.name})
            if value[1] is not None and value[1] != "foreign":
                return value
    return target, None


def describe(module, modules, release):
    release.names.add(module.name)
    found, complete = exported(module, modules, frozenset())
    if not complete:
        release.open[module.name] = module.texts
    for name in module.all or []:
        found.setdefault(name, (module, None))
    for name, (home, node) in found.items():
        is_own = module.is_package or name in module.defined or name in (module.all or [])
        full = module.name + "." + name
        release.seen.add(full)
        if name.startswith("_") or not is_own:
            continue
        release.names.add(full)
        if node is None:
            release.open_calls.add(full)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            parameters(full, node, release, has_self=False)
        elif isinstance(node, ast.ClassDef):
            a_class(full, node, home, modules, release)


def a_class(full, node, home, modules, release):
    methods, whole = members(node, home, modules, set())
    if not whole or len(methods) > METHODS_PER_CLASS:
        release.open_classes.add(full)
    made = methods.get("__init__")
    if isinstance(made, (ast.FunctionDef, ast.AsyncFunctionDef)):
        parameters(full, made, release, has_self=True)
    elif not is_plain_class(node):
        release.open_calls.add(full)
    for name, method in methods.items():
        if name.startswith("_"):
            continue
        release.names.add(full + "." + name)
        if isinstance(method, (ast.FunctionDef, ast.AsyncFunctionDef)):
            parameters(full + "." + name, method, release, has_self=True)


def is_plain_class(node):
    return not node.bases and not node.decorator_list and not node.keywords


def members(node, home, modules, seen):
    """Methods and attributes of a class with those of its bases inside the package."""
    if (home.name, node.name) in seen:
        return {}, True
    seen = seen | {(home.name, node.name)}
    found, whole = {}, True
    for base in reversed(node.bases):
        resolved = base_class(base, home, modules)
        if resolved is None:
            whole = whole and isinstance(base, ast.Name) and base.id in {"object", "Exception", "ValueError", "dict", "list", "str"}
            continue
        inner, complete = members(resolved[1], resolved[0], modules, seen)
        found.update(inner)
        whole = whole and complete
    for statement in node.body:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found[statement.name] = statement
            whole = whole and statement.name not in {"__getattr__", "__getattribute__"}
        elif isinstance(statement, (ast.Assign, ast.AnnAssign)):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            for target in targets:
                if isinstance(target, ast.Name):
                    found.setdefault(target.id, None)
    if node.decorator_list:
        whole = False
    return found, whole


def base_class(base, home, modules):
    if isinstance(base, ast.Subscript):
        base = base.value
    if isinstance(base, ast.Name):
        if isinstance(home.defined.get(base.id), ast.ClassDef):
            return home, home.defined[base.id]
        if base.id in home.imported:
            target, node = resolve(*home.imported[base.id], modules, frozenset())
            return (target, node) if isinstance(node, ast.ClassDef) else None
    if isinstance(base, ast.Attribute) and isinstance(base.value, ast.Name) and base.value.id in home.imported:
        target, kind = resolve(*home.imported[base.value.id], modules, frozenset())
        if kind == "module" and isinstance(target.defined.get(base.attr), ast.ClassDef):
            return target, target.defined[base.attr]
    return None


def parameters(full, node, release, has_self):
    arguments = node.args
    if arguments.kwarg is not None or opaque_decorator(node):
        release.open_calls.add(full)
    named = [argument.arg for argument in arguments.args + arguments.kwonlyargs]
    for name in named[1:] if has_self and named[:1] in (["self"], ["cls"]) else named:
        if not name.startswith("_"):
            release.names.add(full + "(" + name + "=)")


def opaque_decorator(node):
    """A decorator may take arguments of its own, such as the old name of a renamed one."""
    words = " ".join(ast.dump(decorator) for decorator in node.decorator_list)
    return any(word in words for word in ("deprecat", "rename", "wraps", "kwarg"))
