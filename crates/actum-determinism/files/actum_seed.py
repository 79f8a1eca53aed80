# What is done to a module right after its import. Read by `sitecustomize.py` beside it, once it is needed.
import os
import sys

MASK = (1 << 64) - 1


def mix(value):
    value = (value + 0x9E3779B97F4A7C15) & MASK
    value = ((value ^ value >> 30) * 0xBF58476D1CE4E5B9) & MASK
    value = ((value ^ value >> 27) * 0x94D049BB133111EB) & MASK
    return value ^ value >> 31


class Stream(object):
    """Numbers of this process, from the seed, its path and a counter."""

    def __init__(self, first, process):
        self.first, self.process = first, process
        self.restart()
        process.entered.append(self.restart)

    def restart(self):
        self.key = self.first
        for ordinal in self.process.path:
            self.key = mix(self.key ^ mix(ordinal))
        self.drawn = iter(range(1 << 62))

    def bits(self, k):
        value = 0
        for _ in range(0, k, 64):
            value = value << 64 | mix(self.key ^ mix(next(self.drawn)))
        return value >> (-k % 64)

    def seed(self):
        """The seed itself in the first process, so that anybody can repeat it by hand."""
        return mix(self.key) if self.process.path else self.first


def alike(new, old):
    for name in ("__module__", "__name__", "__qualname__", "__doc__"):
        try:
            setattr(new, name, getattr(old, name))
        except Exception:
            pass
    return new


def attach(spec, hook):
    loader = spec.loader
    if loader is None or isinstance(loader, type):
        return
    execute = loader.exec_module

    def exec_module(module):
        if module.__name__ != spec.name:
            return execute(module)
        try:
            del loader.exec_module
        except AttributeError:
            pass
        execute(module)
        try:
            hook(module)
        except Exception:
            pass

    try:
        # Tracebacks leave out frames of this name, as they do for the import itself.
        exec_module.__code__ = exec_module.__code__.replace(
            co_filename="<frozen importlib._bootstrap>", co_name="_call_with_frames_removed"
        )
    except Exception:
        pass
    # On this one loader, so that the module keeps it and nothing wraps it.
    loader.exec_module = exec_module


def hooks(seed, variable, process):
    stream = Stream(seed, process)

    def reseed():
        random = sys.modules.get("random")
        if random is not None:
            random._inst.seed(stream.seed())

    def on_random(module):
        original = module.Random.seed

        def seed(self, a=None, version=2):
            return original(self, stream.bits(256) if a is None else a, version)

        module.Random.seed = alike(seed, original)
        module.seed = module._inst.seed
        reseed()
        # Behind the module's own handler, which seeds children from the system.
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=reseed)

    def on_numpy(module):
        for name in ("bit_generator", "_bit_generator"):
            source = sys.modules.get("numpy.random." + name)
            if hasattr(source, "randbits"):
                source.randbits = stream.bits
        module.seed(stream.seed() & 0xFFFFFFFF)

    def on_torch(module):
        module.manual_seed(stream.seed())
        module.backends.cudnn.benchmark = False
        module.use_deterministic_algorithms(True, warn_only=True)

    def on_tensorflow(module):
        # Its seeds are signed.
        module.random.set_seed(stream.seed() >> 1 if stream.seed() > MASK >> 1 else stream.seed())

    def on_spawn(module):
        describe, prepare = module.get_preparation_data, module.prepare

        def get_preparation_data(*args, **kwargs):
            data = describe(*args, **kwargs)
            data[variable] = process.child()
            return data

        def enter(data, *args, **kwargs):
            path = data.pop(variable, None)
            if path:
                process.enter(path)
                reseed()
            return prepare(data, *args, **kwargs)

        module.get_preparation_data = alike(get_preparation_data, describe)
        module.prepare = alike(enter, prepare)

    def on_subprocess(module):
        holder, name = module, "_fork_exec"
        if not hasattr(module, name):
            holder, name = module._posixsubprocess, "fork_exec"
        start = getattr(holder, name)

        def fork_exec(*args):
            try:
                # The caller's own list of variables is not touched.
                variables = args[5]
                if variables is None:
                    variables = [key + b"=" + value for key, value in os.environb.items()]
                path = variable + "=" + ".".join(map(str, process.child()))
                args = args[:5] + (list(variables) + [path.encode()],) + args[6:]
            except Exception:
                pass
            return start(*args)

        setattr(holder, name, alike(fork_exec, start))
        # The other way to start a program, which newer versions prefer, takes the variables elsewhere.
        module._USE_POSIX_SPAWN = False

    return {
        "random": on_random,
        "numpy.random": on_numpy,
        "torch": on_torch,
        "tensorflow": on_tensorflow,
        "subprocess": on_subprocess,
        "multiprocessing.spawn": on_spawn,
        "loky.backend.spawn": on_spawn,
        "joblib.externals.loky.backend.spawn": on_spawn,
    }
