"""Makes data/python/removals.tsv: names that a series of releases no longer has.

    python3 removed_names.py PACKAGE[=MODULE,…] … > rows.tsv        (or --list packages.txt)

For each package the last release of every minor series is read (`public_names.py`, nothing is executed), oldest to newest.
A name that the newest series that has it is not the newest series of all was removed in the series that followed. Releases
come from the index that pip is set up with; of large wheels only the Python files are fetched. Runs of the tool continue
where an earlier one stopped: what was read is kept below `--cache`.
"""
import argparse
import concurrent.futures
import io
import os
import pickle
import re
import sys
import tarfile
import time
import urllib.parse
import zipfile

from pip._internal.configuration import Configuration
from pip._internal.models.index import PyPI
from pip._internal.network.session import PipSession
from pip._vendor.packaging.version import InvalidVersion, Version

import public_names

OLDEST = "2013"           # series that ended before are of no use to anybody
WHOLE = 4_000_000          # smaller files are fetched whole
MOST_SDIST = 40_000_000    # larger ones without a wheel are left out
GAP = 200_000              # ranges that lie nearer than this are fetched as one


def index():
    settings = Configuration(isolated=False)
    settings.load()
    for key in (":env:.index-url", "global.index-url", "install.index-url"):
        try:
            return settings.get_value(key).rstrip("/")
        except Exception:
            continue
    return PyPI.simple_url.rstrip("/")


def releases(session, package):
    """The index's own account of a package: version -> files, without those that are withdrawn or not final."""
    address = re.sub(r"/simple$", "/pypi", index()) + "/" + package + "/json"
    answer = session.get(address)
    answer.raise_for_status()
    found = {}
    for text, files in answer.json()["releases"].items():
        try:
            version = Version(text)
        except InvalidVersion:
            continue
        files = [dict(file, url=urllib.parse.urljoin(address, file["url"])) for file in files if not file.get("yanked")]
        if files and not version.is_prerelease:
            found[version] = files
    return found


def series(found):
    """(major, minor) -> its last release, and the day on which its first one came out."""
    groups = {}
    for version in sorted(found):
        groups.setdefault(version.release[:2] if len(version.release) > 1 else (version.release[0], 0), []).append(version)
    ordered = []
    for key in sorted(groups):
        first = min(file["upload_time"][:10] for file in found[groups[key][0]])
        last = max(file["upload_time"][:10] for file in found[groups[key][-1]])
        if last < OLDEST:
            continue
        ordered.append((key, groups[key][-1], first))
    return ordered


def sampled(ordered, most):
    """All of them, or the last of each major series and the newest ones, and the rest evenly."""
    if len(ordered) <= most:
        return ordered
    keep = {len(ordered) - 1}
    keep |= {at for at in range(len(ordered) - 1) if ordered[at][0][0] != ordered[at + 1][0][0]}
    keep |= set(range(len(ordered) - 6, len(ordered)))
    step = max(1, len(ordered) // max(1, most - len(keep)))
    keep |= set(range(0, len(ordered), step))
    return [ordered[at] for at in sorted(keep)]


def best_file(files):
    def rank(file):
        name = file["filename"]
        if name.endswith("none-any.whl"):
            return 0, file["size"]
        if name.endswith(".whl"):
            return (1 if "linux" in name and "x86_64" in name else 2), file["size"]
        return 3, file["size"]
    usable = [file for file in files if file["filename"].endswith((".whl", ".tar.gz", ".zip", ".tar.bz2"))]
    usable = [file for file in usable if file["filename"].endswith(".whl") or file["size"] <= MOST_SDIST]
    return min(usable, key=rank) if usable else None


def fetch(session, url, begin=None, end=None):
    headers = {"Accept-Encoding": "identity"}
    if begin is not None:
        headers["Range"] = "bytes=%d-%d" % (begin, end)
    answer = session.get(url, headers=headers)
    answer.raise_for_status()
    return answer.content


class Sparse(io.RawIOBase):
    """A remote file of which only some ranges are held."""

    def __init__(self, size):
        self.size, self.at, self.parts = size, 0, []

    def hold(self, begin, content):
        self.parts.append((begin, content))

    def seekable(self):
        return True

    def readable(self):
        return True

    def tell(self):
        return self.at

    def seek(self, offset, whence=0):
        self.at = offset if whence == 0 else self.at + offset if whence == 1 else self.size + offset
        return self.at

    def read(self, count=-1):
        count = self.size - self.at if count is None or count < 0 else min(count, self.size - self.at)
        for begin, content in self.parts:
            if begin <= self.at and self.at + count <= begin + len(content):
                chunk = content[self.at - begin:self.at - begin + count]
                self.at += count
                return chunk
        raise OSError("a part that was not fetched")


def opened(session, file):
    if file["size"] <= WHOLE or not file["filename"].endswith(".whl"):
        return io.BytesIO(fetch(session, file["url"]))
    size = file["size"]
    sparse = Sparse(size)
    tail = min(size, 1_500_000)
    sparse.hold(size - tail, fetch(session, file["url"], size - tail, size - 1))
    archive = zipfile.ZipFile(sparse)
    offsets = sorted(info.header_offset for info in archive.infolist()) + [size - tail if size > tail else size]
    following = dict(zip(offsets, offsets[1:]))
    ranges = []
    for info in sorted(archive.infolist(), key=lambda info: info.header_offset):
        if is_wanted(info.filename):
            begin, end = info.header_offset, max(following.get(info.header_offset, size), info.header_offset + info.compress_size + 400)
            if ranges and begin - ranges[-1][1] < GAP:
                ranges[-1][1] = max(end, ranges[-1][1])
            else:
                ranges.append([begin, end])
    for begin, end in ranges:
        sparse.hold(begin, fetch(session, file["url"], begin, min(end, size) - 1))
    return sparse


def is_wanted(path):
    return path.endswith((".py", ".pyi")) and not any(part in public_names.SKIPPED_PARTS for part in path.split("/")[:-1])


def contents(session, file, modules):
    """Python files below the package's modules, and the paths of compiled ones."""
    data = opened(session, file)
    texts, compiled = {}, []
    if file["filename"].endswith((".whl", ".zip")):
        archive = zipfile.ZipFile(data)
        entries = [(info.filename, lambda info=info: archive.read(info)) for info in archive.infolist()]
    else:
        archive = tarfile.open(fileobj=data)
        entries = [(member.name, lambda member=member: archive.extractfile(member).read()) for member in archive if member.isfile()]
    is_source = not file["filename"].endswith(".whl")
    for path, content in entries:
        inside = below(path, modules, is_source)
        if inside is None:
            continue
        if inside.endswith((".so", ".pyd", ".pyx")):
            compiled.append(inside)
        elif is_wanted(inside):
            try:
                texts[inside] = content().decode("utf-8", "replace")
            except OSError:
                continue
    return texts, compiled


def below(path, modules, is_source):
    parts = path.split("/")
    if ".data" in parts[0] and len(parts) > 2:
        parts = parts[2:]
    for depth in range(0, 4 if is_source else 1):
        if len(parts) > depth and re.split(r"[.]", parts[depth])[0] in modules and (len(parts) > depth + 1 or parts[depth].endswith((".py", ".pyi"))):
            return "/".join(parts[depth:])
    return None


def read_release(session, file, modules, cache):
    kept = os.path.join(cache, file["filename"] + ".names")
    if os.path.exists(kept):
        with open(kept, "rb") as stream:
            return pickle.load(stream)
    texts, compiled = contents(session, file, modules)
    release = public_names.names_of(texts, compiled) if texts else None
    with open(kept + ".new", "wb") as stream:
        pickle.dump(release, stream)
    os.rename(kept + ".new", kept)
    return release


def package_rows(task):
    package, modules, cache, until, most = task
    session = PipSession()
    found = releases(session, package)
    ordered = series(found)
    following = {one[0]: other for one, other in zip(ordered, ordered[1:])}
    read = []
    for key, version, first in sampled(ordered, most):
        if time.time() > until:  # half a history would call gone what only moved
            return package, [], 0, []
        file = best_file(found[version])
        if file is None:
            continue
        try:
            release = read_release(session, file, modules, cache)
        except Exception as problem:  # a broken archive of one release says nothing about the others
            print("%s %s: %s" % (package, version, problem), file=sys.stderr)
            continue
        if release is not None and len(release.names) > 1:
            read.append((key, version, release))
    carried(read)
    return package, gone(read, following), len(read), [str(version) for _, version, _ in read]


def carried(read):
    """A module that answers for names by itself still has those that it had before and that its text speaks of."""
    for (_, _, before), (_, _, after) in zip(read, read[1:]):
        for name in before.names - after.names:
            parent, _, last = name.rpartition(".")
            if last in after.open.get(parent, ()):
                after.names.add(name)


def gone(read, following):
    """(name, below, day) of every name that the newest release no longer has, and surely no longer has."""
    rows, seen = [], set()
    if not read:
        return rows
    for at in range(len(read) - 2, -1, -1):
        key, _, release = read[at]
        later = [one for _, _, one in read[at + 1:]]
        for name in release.names - seen:
            if any(may_have(one, name) for one in later):
                continue
            if key in following:
                bound, _, day = following[key]
                rows.append((name, ".".join(map(str, bound)), day))
        seen |= release.names
    removed = {name for name, _, _ in rows}
    kept = [row for row in rows if not is_implied(row[0], removed)]
    return sorted(kept)


def may_have(release, name):
    if name in release.names or name in release.seen:
        return True
    call, parenthesis, _ = name.partition("(")
    if parenthesis:
        return call not in release.names and may_have(release, call) or call in release.open_calls
    parent = name
    while "." in parent:
        parent, _, last = parent.rpartition(".")
        if parent in release.open and not release.open[parent]:
            return True
        if parent in release.open:
            return last in release.open[parent] or any(last in text.split(".") for text in release.open[parent])
        if parent in release.open_classes:
            return True
        if parent in release.names:
            return False
    return False


def is_implied(name, removed):
    """What lies within something that is gone as a whole is not listed beside it."""
    call, parenthesis, _ = name.partition("(")
    if parenthesis and call in removed:
        return True
    while "." in call:
        call = call.rpartition(".")[0]
        if call in removed:
            return True
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("packages", nargs="*")
    parser.add_argument("--list")
    parser.add_argument("--cache", required=True)
    parser.add_argument("--minutes", type=float, default=40)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--series", type=int, default=18, help="read no more series of a package than these")
    asked = parser.parse_args()
    packages = list(asked.packages)
    if asked.list:
        packages += [line.split("#")[0].strip() for line in open(asked.list) if line.split("#")[0].strip()]
    os.makedirs(asked.cache, exist_ok=True)
    until = time.time() + asked.minutes * 60
    tasks = []
    for package in packages:
        name, _, modules = package.partition("=")
        tasks.append((name, (modules or name.replace("-", "_")).split(","), asked.cache, until, asked.series))
    with concurrent.futures.ProcessPoolExecutor(asked.jobs) as pool:
        waiting = {pool.submit(package_rows, task): task[0] for task in tasks}
        for done in concurrent.futures.as_completed(waiting):
            try:
                package, rows, count, versions = done.result()
            except Exception as problem:
                print("%s: %s" % (waiting[done], problem), file=sys.stderr)
                continue
            for name, bound, day in rows:
                print("%s\t%s\t%s\t%s" % (package, name, bound, day))
            print("%s: %d series, %d names gone (%s)" % (package, count, len(rows), versions[-1] if versions else "-"), file=sys.stderr)
            sys.stdout.flush()


if __name__ == "__main__":
    main()
