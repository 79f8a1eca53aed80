# Carries out the blocks of an answer one after the other in one interpreter. What fails does not stop the next.
#
# It says where it is: on stderr what there is to do and when a block ended, on stdout when one begins, all with a word that
# stands for this answer. They are printed beside what the blocks print, and are no more to be believed than that.


def actum_together(given):
    import os
    import sys

    # A file of the workspace that is called like one of these is not it; the first folder is this program's own.
    inside, folders = os.environ.get("PYTHONPATH", "").split(os.pathsep), sys.path[1:]
    sys.path = [folder for folder in folders if folder not in inside]
    import json
    import linecache
    import pathlib
    import subprocess
    import traceback
    import types

    sys.path = folders

    class Given(str):
        """A text that can be joined like a path."""

        def __truediv__(self, other):
            return pathlib.Path(self) / other

    given = json.loads(given)
    word, name, blocks = given["word"], "<answer>", given["blocks"]
    main = types.ModuleType("__main__")
    main.__builtins__ = __builtins__
    main.Path = pathlib.Path
    sys.modules["__main__"] = main
    for variable, value in given["variables"].items():
        setattr(main, variable, Given(value))
    # Line numbers are those of the answer.
    lines = ["\n"] * max((block["first"] + block["code"].count("\n") for block in blocks), default=0)
    for block in blocks:
        for at, line in enumerate(block["code"].split("\n")):
            lines[block["first"] - 1 + at] = line + "\n"
    # Without a time it is never looked for on disk.
    linecache.cache[name] = (sum(map(len, lines)), None, lines, name)

    def say(descriptor, text):
        data = text.encode("utf-8", "replace")
        try:
            while data:
                data = data[os.write(descriptor, data) :]
        except OSError:
            # Closed by a block; then nobody is told.
            pass

    def flush():
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except Exception:
                # Closed or replaced by a block; then that is where the output went.
                pass

    def show(error):
        frames = error.__traceback__
        # The first two are ours.
        for _ in range(2):
            frames = frames.tb_next if frames is not None else None
        traceback.print_exception(type(error), error.with_traceback(frames), frames)

    def python(block):
        text = "\n" * (block["first"] - 1) + block["code"]
        exec(compile(text, name, "exec", dont_inherit=True), main.__dict__)

    def carry_out(block):
        if block["language"] != "python":
            command = [block["language"], "-c", block["code"], block["language"]]
            status = subprocess.run(command, stdin=subprocess.DEVNULL).returncode
            return status if status >= 0 else 128 - status
        try:
            python(block)
            return 0
        except SystemExit as wish:
            if wish.code is None or isinstance(wish.code, int):
                return (wish.code or 0) & 0xFF
            print(wish.code, file=sys.stderr)
            return 1
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            show(error)
            return 1

    def left():
        told = {}
        for variable in given["asked"]:
            value = main.__dict__.get(variable)
            if isinstance(value, str) and len(value) <= 200:
                told[variable] = str(value)
        return told

    worst = 0
    kinds = [{"language": block["language"], "lines": block["lines"]} for block in blocks]
    say(2, f"--- actum: blocks {word} {json.dumps(kinds)} ---\n")
    for number, block in enumerate(blocks, 1):
        say(1, f"--- actum: block {number} of {len(blocks)} {word} ---\n")
        try:
            status = carry_out(block)
        except OSError as error:
            print(f"{block['language']}: {error}", file=sys.stderr)
            status = 127
        flush()
        told = {"block": number, "status": status, "variables": left()}
        say(2, f"--- actum: ended {word} {json.dumps(told)} ---\n")
        worst = worst or status
    sys.exit(worst)


actum_together(GIVEN)
