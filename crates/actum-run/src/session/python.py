# Keeps a Python interpreter alive between calls. Started as `python3 -c THIS`; its standard input is the control socket.
#
# Asked:    call ID KEEP N LENGTH_1 … LENGTH_N, a newline, then N parts: the code, its file name, the arguments.
# Answered: ready, once; done ID STATUS for each call. Nothing else is ever written there.


def actum_session():
    import sys

    # A file of the workspace that is called like one of these is not it.
    folders, sys.path = sys.path, [folder for folder in sys.path if folder]
    import ast
    import fcntl
    import linecache
    import os
    import signal
    import traceback
    import types

    sys.path = folders

    # High and close-on-exec: what a call starts has no part in the conversation.
    control = fcntl.fcntl(0, fcntl.F_DUPFD_CLOEXEC, 60)
    nothing = os.open("/dev/null", os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    own = os.getpid()
    sys.stdout.reconfigure(line_buffering=True)
    main = types.ModuleType("__main__")
    main.__builtins__ = __builtins__
    sys.modules["__main__"] = main

    def tell(line):
        data = line.encode()
        while data:
            data = data[os.write(control, data) :]

    def line():
        words = bytearray()
        while not words.endswith(b"\n"):
            byte = os.read(control, 1)
            if not byte:
                return None
            words += byte
        return words.decode().split()

    def part(length):
        data = bytearray()
        while len(data) < length:
            piece = os.read(control, min(length - len(data), 1 << 20))
            if not piece:
                raise EOFError
            data += piece
        return bytes(data)

    def evaluate(code, name, keep):
        text = code.decode("utf-8", "replace")
        # Without a time it is never looked for on disk, and functions of earlier calls keep their own lines.
        linecache.cache[name] = (len(text), None, text.splitlines(True), name)
        tree = compile(code, name, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
        last = None
        if keep == "value" and tree.body and isinstance(tree.body[-1], ast.Expr):
            last = ast.Interactive([tree.body.pop()])
        todo = [compile(tree, name, "exec", dont_inherit=True)]
        if last is not None:
            todo.append(compile(last, name, "single", dont_inherit=True))
        for compiled in todo:
            exec(compiled, main.__dict__)

    def exit_status(wish):
        if wish is None:
            return 0
        if isinstance(wish, int):
            return wish & 0xFF
        print(wish, file=sys.stderr)
        return 1

    def show(error):
        frames = error.__traceback__
        # The first two are ours.
        for _ in range(2):
            frames = frames.tb_next if frames is not None else None
        error.__traceback__ = frames
        # The interpreter's own hook looks for lines on disk only, before Python 3.13.
        is_own = sys.excepthook is sys.__excepthook__
        hook = traceback.print_exception if is_own else sys.excepthook
        hook(type(error), error, frames)

    def call(code, name, keep):
        try:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            evaluate(code, name, keep)
            return 0
        except SystemExit as wish:
            return exit_status(wish.code)
        except BaseException as error:
            show(error)
            return 130 if isinstance(error, KeyboardInterrupt) else 1

    def guarded(code, name, keep):
        status = 130
        try:
            status = call(code, name, keep)
        except KeyboardInterrupt:
            # It came while an error was being shown.
            pass
        finally:
            try:
                # Not ignored: what a thread starts later would inherit that.
                signal.signal(signal.SIGINT, lambda *_: None)
            except KeyboardInterrupt:
                signal.signal(signal.SIGINT, lambda *_: None)
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except Exception:
                # Closed or replaced by the call; then that is where the output went.
                pass
        return status

    signal.signal(signal.SIGINT, lambda *_: None)
    tell("ready\n")
    while True:
        words = line()
        if words is None:
            return
        number, keep = words[1], words[2]
        code, name, *arguments = [part(int(length)) for length in words[4:]]
        name = name.decode("utf-8", "replace")
        sys.argv = [name] + [os.fsdecode(argument) for argument in arguments]
        status = guarded(code, name, keep)
        if os.getpid() != own:
            # A copy that the call made and that ran out of things to do.
            os._exit(status)
        tell(f"done {number} {status}\n")


actum_session()
