"""Starts a Python program in another way than Python itself does, without changing a byte of it.

Called as: launcher.py WAYS PROGRAM [ARGUMENT]…, where WAYS are words with commas between them:

clean    the program's folder comes last on the path, so that no file beside it hides a library of its name
magics   lines of a notebook (%matplotlib, !ls) do what a notebook would do with them, or nothing
await    `await` stands at the top level
fork     worker processes are copies of this one and do not read the program again
figures  what plt.show() would show is saved as figure-N.png where the program runs
prompts  the program is a transcript: its prompts (>>>, ...) and what was printed between them are not code
"""
import os
import sys


def main():
    ways = sys.argv[1].split(",")
    path = sys.argv[2]
    sys.argv = sys.argv[2:]
    folder = os.path.dirname(os.path.abspath(path))
    sys.path.pop(0)
    if "clean" in ways:
        sys.path.append(folder)
    else:
        sys.path.insert(0, folder)
    if "fork" in ways:
        import multiprocessing

        multiprocessing.set_start_method("fork", force=True)
    if "figures" in ways:
        save_figures()
    with open(path, "rb") as file:
        source = file.read()
    module = type(sys)("__main__")
    module.__file__ = path
    module.__builtins__ = __builtins__
    sys.modules["__main__"] = module
    if "magics" in ways:
        notebook(module)
    if "magics" in ways or "prompts" in ways:
        source = prepared(source, ways)
    run(module, source, path, ways)


def run(module, source, path, ways):
    """Frames keep the program's own name and lines."""
    if "await" not in ways:
        exec(compile(source, path, "exec", dont_inherit=True), module.__dict__)
        return
    import ast
    import asyncio
    import inspect

    code = compile(source, path, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    result = eval(code, module.__dict__)
    if inspect.iscoroutine(result):
        asyncio.run(result)


def prepared(source, ways):
    """Line by line, so that every line keeps its number."""
    import io
    import tokenize

    with io.BytesIO(source) as raw:
        encoding, _ = tokenize.detect_encoding(raw.readline)
    lines = source.decode(encoding).replace("\r\n", "\n").split("\n")
    if "prompts" in ways:
        lines = [without_prompt(line) for line in lines]
    if "magics" in ways:
        lines = without_magics(lines)
    return "\n".join(lines)


def without_prompt(line):
    bare = line.lstrip()
    for prompt in (">>> ", "... "):
        if bare.startswith(prompt):
            return bare[len(prompt):]
    if bare in (">>>", "..."):
        return ""
    return "# " + line


def without_magics(lines):
    if lines and lines[0].lstrip().startswith(("%%bash", "%%sh", "%%script")):
        body = "\n".join(lines[1:])
        return ["__import__('subprocess').run(" + repr(body) + ", shell=True, check=True)"]
    return [magic(line) for line in lines]


def magic(line):
    bare = line.lstrip()
    indent = line[: len(line) - len(bare)]
    if bare.startswith("%%"):
        return indent + "pass  # " + bare
    if bare.startswith("%"):
        # Packages are there already; what a plot is drawn with is the launcher's.
        return indent + "pass  # " + bare
    if bare.startswith("!"):
        command = bare[1:]
        if command.split()[:2] in (["pip", "install"], ["pip3", "install"], ["conda", "install"]):
            return indent + "pass  # " + bare
        return indent + "__import__('subprocess').run(" + repr(command) + ", shell=True)"
    return line


def notebook(module):
    """What a notebook has and a program has not."""

    def display(*values, **_):
        for value in values:
            print(value)

    class Shell:
        def run_line_magic(self, *_):
            return None

        run_cell_magic = magic = system = run_line_magic

    module.display = display
    module.get_ipython = Shell


def save_figures():
    """Whoever calls show() wants the figure; here it becomes a file."""
    os.environ["MPLBACKEND"] = "Agg"
    try:
        import matplotlib

        matplotlib.use("Agg", force=True)
        from matplotlib import pyplot
    except ImportError:
        return
    saved = set()

    def save(*_, **__):
        for number in pyplot.get_fignums():
            if number not in saved:
                saved.add(number)
                pyplot.figure(number).savefig("figure-%d.png" % number)

    import atexit

    matplotlib.use = lambda *_, **__: None
    pyplot.switch_backend = lambda *_, **__: None
    pyplot.show = save
    atexit.register(save)


main()
