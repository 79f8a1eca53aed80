# Builds a wheel from unpacked sources with the builder that they name. Runs inside the walls, without a network: this is the
# one place where a package's own code runs before a program does. Arguments: the folder of sources, where the wheel goes.
import importlib, os, sys

source, target = sys.argv[1:3]
tops = [os.path.join(source, name) for name in sorted(os.listdir(source))]
tops = [top for top in tops if os.path.isdir(top)]
os.chdir(tops[0] if len(tops) == 1 else source)
# What is written to stdout by a builder is no answer of ours.
answer = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
name, _, inside = (os.environ.get("ACTUM_BACKEND") or "setuptools.build_meta:__legacy__").partition(":")
for folder in filter(None, os.environ.get("ACTUM_BACKEND_PATH", "").split(os.pathsep)):
    sys.path.insert(0, os.path.abspath(folder))
sys.argv = ["setup.py"]
backend = importlib.import_module(name)
for part in filter(None, inside.split(".")):
    backend = getattr(backend, part)
os.makedirs(target, exist_ok=True)
answer.write(backend.build_wheel(target) + "\n")
