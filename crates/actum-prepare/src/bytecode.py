# Gives every source below a folder its byte code: copied from a store that is kept by the source's digest, made where it is
# not there yet. Runs inside the walls; reads sources and never imports one.
import hashlib, os, sys

LARGEST = 16 << 20


def sources(folder):
    for place, folders, names in os.walk(folder):
        # Tests of packages are half of what is installed, and nobody imports them.
        folders[:] = [name for name in folders if name not in ("__pycache__", "tests")]
        for name in names:
            if name.endswith(".py"):
                yield os.path.join(place, name)


def copy(kept, target):
    # Not linked: what a program is shown shares no file with what a later preparation can write.
    import shutil
    os.makedirs(os.path.dirname(target), exist_ok=True)
    if not os.path.exists(target):
        shutil.copyfile(kept, target)


def one(source, store):
    import importlib.util, py_compile
    target = importlib.util.cache_from_source(source)
    if os.path.getsize(source) > LARGEST:
        return
    with open(source, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    kept = os.path.join(store, digest[:2], digest[2:])
    if not os.path.exists(kept):
        new = "%s.%d" % (kept, os.getpid())
        os.makedirs(os.path.dirname(kept), exist_ok=True)
        try:
            py_compile.compile(source, cfile=new, dfile=os.path.basename(source), doraise=True, quiet=2,
                               invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
        except OSError:
            raise
        except Exception:
            # A file of another Python, or none at all; packages carry such things.
            return
        os.rename(new, kept)
    copy(kept, target)


def many(work):
    sources, store = work
    sys.setrecursionlimit(10000)
    for source in sources:
        one(source, store)


def main():
    folder, store = sys.argv[1:3]
    if sys.version_info < (3, 8):
        import compileall
        compileall.compile_dir(folder, quiet=2)
        return
    import warnings
    warnings.simplefilter("ignore")
    store = os.path.join(store, sys.implementation.cache_tag)
    files = sorted(sources(folder))
    # Chunks of neighbours, so that both processors are busy to the end.
    chunks = [(files[at:at + 64], store) for at in range(0, len(files), 64)]
    if len(chunks) < 4:
        for chunk in chunks:
            many(chunk)
        return
    import multiprocessing
    with multiprocessing.get_context("fork").Pool(min(len(os.sched_getaffinity(0)), 8)) as pool:
        for _ in pool.imap_unordered(many, chunks):
            pass


main()
