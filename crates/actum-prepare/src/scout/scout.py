"""Finds the newest release of a package that still has a name.

Runs confined, with the network granted to the index alone, and executes nothing of what it looks at: archives are read,
modules are parsed, never imported. Python 3.8 and newer, standard library only; proxies come from the usual variables.

The variable ACTUM_INDEXES has the address of a simple repository; further ones behind it are not asked. An address may hold
a password, so it is no argument. One argument, JSON:
    package  as the index knows it
    module   dotted, the module that was asked for
    name     a name in it; dotted where it is an attribute of a class; absent where the module itself is wanted
    keyword  a parameter that the function or class has to accept; absent where any will do
    below    only releases before this one; absent where all count
    probes   at most so many archives are looked into
    seconds  at most so long

One line on stdout, JSON: `found` (absent where nothing was found), `probed` (each release with `has` true, false or null
where it could not be told), `ended` (found, exhausted, probes, seconds, unknown, failed), `why` where it failed, `releases` and
`first_uploaded` of the package as a whole.
"""

import ast
import base64
import html.parser
import io
import json
import os
import re
import struct
import sys
import tarfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import zlib
from concurrent.futures import ThreadPoolExecutor

# The end of a wheel: its directory, nearly always whole.
TAIL = 128 * 1024
# Beyond this an archive that has to be read from its beginning is not read.
LARGEST = 40 * 1024 * 1024
# A module larger than this was generated, and parsing it would take the time of all other probes.
LARGEST_MODULE = 4 * 1024 * 1024
# How many re-exports are followed before giving up.
DEEPEST = 6
# Probes at the same moment. More would look like an attack to an index.
AT_ONCE = 4
PAGE = "application/vnd.pypi.simple.v1+json, text/html;q=0.1"


class Failed(Exception):
    """What stands in the way, in words for a person."""


class Unknown(Failed):
    """The index has no such package."""


class Clock:
    def __init__(self, seconds):
        self.end = time.monotonic() + seconds

    def left(self):
        return self.end - time.monotonic()

    def patience(self):
        """How long one request may take."""
        left = self.left()
        if left <= 0:
            raise Failed("no time left")
        return min(left, 10)


# --- the index


def signed(url):
    """The address without its user and password, and the header that carries them."""
    parts = urllib.parse.urlsplit(url)
    user, at, place = parts.netloc.rpartition("@")
    if not at:
        return url, {}
    word = base64.b64encode(urllib.parse.unquote(user).encode()).decode()
    return urllib.parse.urlunsplit(parts._replace(netloc=place)), {"Authorization": "Basic " + word}


def fetch(url, clock, headers={}, most=LARGEST):
    """Status, bytes, and headers."""
    url, signature = signed(url)
    request = urllib.request.Request(url, headers=dict(headers, **signature))
    request.add_header("User-Agent", "actum-scout")
    try:
        with urllib.request.urlopen(request, timeout=clock.patience()) as answer:
            parts, size = [], 0
            while True:
                part = answer.read(256 * 1024)
                if not part:
                    break
                size += len(part)
                if size > most or clock.left() <= 0:
                    raise Failed("too large or too slow")
                parts.append(part)
            return answer.status, b"".join(parts), answer.headers
    except urllib.error.HTTPError as error:
        return error.code, b"", error.headers
    except (OSError, ValueError) as error:
        raise Failed("%s" % error)


class Links(html.parser.HTMLParser):
    """The files that a page names, for indexes that speak no JSON."""

    def __init__(self, base):
        super().__init__()
        self.base, self.files = base, []

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag != "a" or not attributes.get("href"):
            return
        url = urllib.parse.urljoin(self.base, attributes["href"]).split("#")[0]
        self.files.append(
            {
                "url": url,
                "filename": urllib.parse.unquote(url.rsplit("/", 1)[-1]),
                "requires-python": attributes.get("data-requires-python"),
                "upload-time": attributes.get("data-upload-time"),
                "yanked": "data-yanked" in attributes,
            }
        )


def files_of(index, package, clock):
    name = re.sub(r"[-_.]+", "-", package).lower()
    url = index.rstrip("/") + "/" + name + "/"
    status, body, headers = fetch(url, clock, {"Accept": PAGE})
    if status == 404:
        raise Unknown("the index does not know %s" % package)
    if status != 200:
        raise Failed("the index answered %d" % status)
    if "json" in headers.get("Content-Type", ""):
        files = json.loads(body)["files"]
        for file in files:
            file["url"] = urllib.parse.urljoin(url, file["url"])
        return files
    links = Links(url)
    links.feed(body.decode("utf-8", "replace"))
    return links.files


def version_of(filename, package):
    """The version in a file's name, as text; none where the file is of no kind that can be looked into."""
    if filename.endswith(".whl"):
        fields = filename[:-4].split("-")
        return fields[1] if len(fields) >= 5 else None
    for ending in (".tar.gz", ".tgz", ".tar.bz2", ".zip"):
        if filename.endswith(ending):
            stem = filename[: -len(ending)]
            pattern = re.sub(r"[-_.]+", "[-_.]+", re.escape(package).replace("\\", "")) + r"-(.+)$"
            match = re.match(pattern, stem, re.IGNORECASE)
            return match.group(1) if match else None
    return None


def ordered(version):
    """A key that sorts releases; none for what is not final."""
    match = re.match(r"^v?(\d+(?:\.\d+)*)(?:[-.]?post(\d+))?(?:\+.*)?$", version, re.IGNORECASE)
    if not match:
        return None
    numbers = [int(number) for number in match.group(1).split(".")]
    while len(numbers) > 1 and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers), int(match.group(2) or 0)


class Release:
    def __init__(self, version):
        self.version, self.files = version, []

    def uploaded(self):
        times = [file["upload-time"] for file in self.files if file.get("upload-time")]
        return min(times) if times else None

    def requires_python(self):
        return next((file["requires-python"] for file in self.files if file.get("requires-python")), None)

    def tags(self):
        names = [file["filename"] for file in self.files]
        tags = {"-".join(name[:-4].split("-")[-3:]) for name in names if name.endswith(".whl")}
        return sorted(tags)[:120]

    def has_source(self):
        return any(not file["filename"].endswith(".whl") for file in self.files)

    def file(self):
        """The file to look into: a wheel before a source, one of this platform before others, a small one before large."""

        def rank(file):
            name = file["filename"]
            wheel = name.endswith(".whl")
            return (not wheel, "none-any" not in name, "linux" not in name, file.get("size") or 0)

        return min(self.files, key=rank)


def releases_of(files, package):
    """Final releases that were not taken back, oldest first."""
    found = {}
    for file in files:
        version = version_of(file["filename"], package)
        key = ordered(version) if version else None
        if key is None or file.get("yanked"):
            continue
        found.setdefault(key, Release(version)).files.append(file)
    return [(key, found[key]) for key in sorted(found)]


def series_of(releases):
    """The last release of each series, newest first, each with the first one of the series after it."""
    groups = []
    for key, release in releases:
        numbers = (key[0] + (0,))[:2]
        if groups and groups[-1][0] == numbers:
            groups[-1][2] = release
        else:
            groups.append([numbers, release, release])
    pairs = []
    for place, (_, _, last) in enumerate(groups):
        after = groups[place + 1][1] if place + 1 < len(groups) else None
        pairs.append((last, after))
    return pairs[::-1]


# --- archives


class Wheel:
    """A zip that is read by ranges where the server grants them, and whole where it does not."""

    def __init__(self, file, clock):
        self.url, self.clock = file["url"], clock
        status, tail, headers = fetch(self.url, clock, {"Range": "bytes=-%d" % TAIL})
        if status == 416 or status not in (200, 206):
            raise Failed("the index answered %d" % status)
        if status == 200:
            self.begin, self.size = 0, len(tail)
        else:
            self.size = int(headers["Content-Range"].rsplit("/", 1)[1])
            self.begin = self.size - len(tail)
        self.tail = tail
        self.entries = self.directory()

    def bytes(self, begin, length):
        if begin >= self.begin:
            return self.tail[begin - self.begin : begin - self.begin + length]
        asked = {"Range": "bytes=%d-%d" % (begin, begin + length - 1)}
        status, part, _ = fetch(self.url, self.clock, asked)
        if status != 206:
            raise Failed("the index answered %d" % status)
        return part

    def directory(self):
        at = self.tail.rfind(b"PK\x05\x06")
        if at < 0:
            raise Failed("no zip")
        size, begin = struct.unpack("<II", self.tail[at + 12 : at + 20])
        if begin == 0xFFFFFFFF or size > LARGEST:
            raise Failed("too large")
        text, entries, place = self.bytes(begin, size), {}, 0
        while text[place : place + 4] == b"PK\x01\x02":
            method = struct.unpack("<H", text[place + 10 : place + 12])[0]
            packed, plain, name, extra, comment = struct.unpack("<IIHHH", text[place + 20 : place + 34])
            offset = struct.unpack("<I", text[place + 42 : place + 46])[0]
            path = text[place + 46 : place + 46 + name].decode("utf-8", "replace")
            entries[path] = (method, packed, plain, offset)
            place += 46 + name + extra + comment
        return entries

    def paths(self):
        return list(self.entries)

    def read(self, path):
        method, packed, plain, offset = self.entries[path]
        if plain > LARGEST_MODULE or packed > LARGEST_MODULE:
            raise Failed("a module too large to parse")
        # The local header repeats the name and may have an extra field of its own length.
        text = self.bytes(offset, 30 + len(path.encode()) + 512 + packed)
        name, extra = struct.unpack("<HH", text[26:30])
        body = text[30 + name + extra : 30 + name + extra + packed]
        if method == 0:
            return body
        return zlib.decompressobj(-15).decompress(body, LARGEST_MODULE)


class Source:
    """A source distribution, which can only be had whole."""

    def __init__(self, file, clock):
        if (file.get("size") or 0) > LARGEST:
            raise Failed("a source too large to look into")
        status, body, _ = fetch(file["url"], clock)
        if status != 200:
            raise Failed("the index answered %d" % status)
        self.texts = {}
        if file["filename"].endswith(".zip"):
            self.read_zip(body)
        else:
            self.read_tar(body)

    def read_zip(self, body):
        import zipfile

        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            for entry in archive.infolist():
                if entry.filename.endswith((".py", ".pyx", ".so", ".c")) and entry.file_size < LARGEST_MODULE:
                    self.keep(entry.filename, lambda: archive.read(entry))

    def read_tar(self, body):
        with tarfile.open(fileobj=io.BytesIO(body)) as archive:
            for entry in archive:
                if entry.isfile() and entry.size < LARGEST_MODULE:
                    self.keep(entry.name, lambda: archive.extractfile(entry).read())

    def keep(self, path, read):
        inside = path.split("/", 1)[-1]
        for lead in ("src/", "lib/", "Lib/", "python/"):
            if inside.startswith(lead):
                inside = inside[len(lead) :]
        if inside.endswith((".py", ".pyx")):
            self.texts.setdefault(inside, read())
        elif inside.endswith((".so", ".c")):
            self.texts.setdefault(inside, b"")

    def paths(self):
        return list(self.texts)

    def read(self, path):
        return self.texts[path]


# --- names

# What a search can end with, beside a syntax tree's node: there but not to be looked into, and not to be told.
THERE = object()
UNKNOWN = object()


class Package:
    """The modules of one release."""

    def __init__(self, archive):
        self.archive, self.trees = archive, {}
        self.by_module, self.compiled, self.folders = {}, set(), set()
        for path in archive.paths():
            path_in = re.sub(r"^[^/]+\.data/(purelib|platlib)/", "", path)
            parts = path_in.split("/")
            for depth in range(1, len(parts)):
                self.folders.add(".".join(parts[:depth]))
            if path_in.endswith("/__init__.py"):
                self.by_module[".".join(parts[:-1])] = (path, True)
            elif path_in.endswith(".py"):
                self.by_module.setdefault(".".join(parts)[:-3], (path, False))
            elif path_in.endswith((".so", ".pyd", ".pyx")):
                self.compiled.add(".".join(parts[:-1] + [parts[-1].split(".")[0]]))

    def has_module(self, module):
        return module in self.by_module or module in self.compiled or module in self.folders

    def tree(self, module):
        if module not in self.trees:
            path, _ = self.by_module[module]
            text = self.archive.read(path)
            try:
                self.trees[module] = ast.parse(text)
            except (SyntaxError, ValueError, RecursionError):
                self.trees[module] = text.decode("utf-8", "replace")
        return self.trees[module]

    def find(self, module, name, depth=0, seen=()):
        """A node with the module it stands in, THERE, UNKNOWN, or None."""
        if self.has_module(module + "." + name):
            return THERE, module
        if (module, name) in seen or depth > DEEPEST:
            return UNKNOWN, module
        seen = seen + ((module, name),)
        if module not in self.by_module:
            known = module in self.folders and module not in self.compiled
            return (None if known else UNKNOWN), module
        tree = self.tree(module)
        if isinstance(tree, str):
            return self.find_in_text(module, name, tree, depth, seen)
        stars, lazy = [], False
        for node in statements(tree.body):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                lazy = lazy or node.name == "__getattr__"
                if node.name == name:
                    return (UNKNOWN if is_stub(node) else node), module
            elif isinstance(node, ast.ImportFrom):
                source = self.absolute(module, node)
                for alias in node.names:
                    if alias.name == "*":
                        stars.append(source)
                    elif (alias.asname or alias.name) == name:
                        return self.follow(source, alias.name, depth, seen)
            elif isinstance(node, ast.Import):
                if any((alias.asname or alias.name.split(".")[0]) == name for alias in node.names):
                    return THERE, module
            elif name in bound(node):
                return THERE, module
        unknown = False
        for source in stars:
            found, where = self.offered(source, name, depth, seen)
            if found is UNKNOWN:
                unknown = unknown or self.has_module(source)
            elif found is not None:
                return found, where
        if lazy and any(isinstance(node, ast.Constant) and node.value == name for node in ast.walk(tree)):
            unknown = True
        return (UNKNOWN if unknown else None), module

    def offered(self, source, name, depth, seen):
        """What `from source import *` gives under this name. A list of what is offered keeps the rest back."""
        found, where = self.find(source, name, depth + 1, seen)
        tree = self.trees.get(source)
        if found is None or found is UNKNOWN or not isinstance(tree, ast.Module):
            return found, where
        listed, whole = offers(tree)
        if listed is None:
            return (None if name.startswith("_") else found), where
        if name in listed:
            return found, where
        return (None if whole else UNKNOWN), where

    def follow(self, source, name, depth, seen):
        """What is imported by name is there, whether or not its definition can be found."""
        found, where = self.find(source, name, depth + 1, seen)
        return (THERE if found is None or found is UNKNOWN else found), where

    def find_in_text(self, module, name, text, depth, seen):
        """For modules of Python 2, which no parser of Python 3 reads."""
        word = re.escape(name)
        defined = r"^(?:    |\t)?(?:(?:def|class)\s+%s\b|%s\s*=[^=]|.*\bimport\b.*\b%s\b)" % (word, word, word)
        if re.search(defined, text, re.MULTILINE):
            return THERE, module
        for source in re.findall(r"^\s*from\s+(\S+)\s+import\s+\*", text, re.MULTILINE):
            package = module if self.by_module[module][1] else module.rpartition(".")[0]
            for whole in (package + "." + source.lstrip("."), source):
                found, where = self.find(whole, name, depth + 1, seen)
                if found not in (None, UNKNOWN):
                    return found, where
        return None, module

    def absolute(self, module, node):
        """The module that a `from` names."""
        if not node.level:
            return node.module or ""
        parts = module.split(".")
        keep = len(parts) - node.level + (1 if self.by_module[module][1] else 0)
        return ".".join(parts[:keep] + ([node.module] if node.module else []))

    def attribute(self, node, module, name, depth=0):
        """An attribute of a class, looked for in what it inherits from as well."""
        if not isinstance(node, ast.ClassDef) or depth > DEEPEST:
            return UNKNOWN, module
        for inner in statements(node.body):
            if isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and inner.name == name:
                return inner, module
            if name in bound(inner):
                return THERE, module
        unknown = False
        for base in node.bases:
            if not isinstance(base, ast.Name):
                unknown = True
                continue
            if base.id == "object":
                continue
            parent, where = self.find(module, base.id)
            if isinstance(parent, ast.ClassDef):
                found, where = self.attribute(parent, where, name, depth + 1)
                if found is None:
                    continue
                if found is not UNKNOWN:
                    return found, where
            unknown = True
        return (UNKNOWN if unknown else None), module

    def accepts(self, node, module, keyword):
        """Whether a function, or the making of a class, takes a parameter. True, False, or None."""
        if isinstance(node, ast.ClassDef):
            node, module = self.attribute(node, module, "__init__")
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return None
        taken = node.args
        if keyword in [one.arg for one in taken.args + taken.kwonlyargs]:
            return True
        return None if taken.kwarg else False

    def has(self, module, name, keyword):
        """True, False, or None where it cannot be told."""
        if not self.has_module(module):
            return False
        if not name:
            return True
        first, *rest = name.split(".")
        found, where = self.find(module, first)
        for attribute in rest:
            if found is None or found is UNKNOWN:
                break
            found, where = self.attribute(found, where, attribute)
        if found is None:
            return False
        if found is UNKNOWN:
            return None
        return self.accepts(found, where, keyword) if keyword else True


def statements(body):
    """Statements that run at this level, those in branches as well."""
    for node in body:
        yield node
        if isinstance(node, (ast.If, ast.Try, ast.With, ast.For, ast.While)):
            yield from statements(node.body)
            yield from statements(getattr(node, "orelse", []))
            yield from statements(getattr(node, "finalbody", []))
            for handler in getattr(node, "handlers", []):
                yield from statements(handler.body)


def is_stub(node):
    """A class left behind so that `isinstance` goes on working: nothing in it, and nothing inherited."""
    empty = all(isinstance(inner, (ast.Pass, ast.Expr)) for inner in node.body)
    return isinstance(node, ast.ClassDef) and empty and not node.bases and not node.keywords


def offers(tree):
    """The names in `__all__` (none where there is no such list), and whether they can be the whole of it."""
    listed, whole = None, True
    for node in statements(tree.body):
        value = None
        if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign)) and "__all__" in bound(node):
            value = node.value
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            call = node.value.func
            if isinstance(call, ast.Attribute) and isinstance(call.value, ast.Name) and call.value.id == "__all__":
                value = node.value
        if value is None:
            continue
        texts = [one.value for one in ast.walk(value) if isinstance(one, ast.Constant)]
        listed = (listed or set()) | {text for text in texts if isinstance(text, str)}
        whole = whole and isinstance(value, (ast.List, ast.Tuple))
    return listed, whole


def bound(node):
    """The names that an assignment binds."""
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, (ast.AnnAssign, ast.AugAssign, ast.For)):
        targets = [node.target]
    else:
        return set()
    return {one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)}


# --- the search


class Search:
    def __init__(self, asked):
        self.asked, self.clock = asked, Clock(asked["seconds"])
        self.answers, self.probed, self.ended = {}, [], "exhausted"
        self.lock = threading.Lock()

    def probe(self, place):
        release, _ = self.series[place]
        has, why = None, None
        try:
            file = release.file()
            archive = (Wheel if file["filename"].endswith(".whl") else Source)(file, self.clock)
            has = Package(archive).has(self.asked["module"], self.asked.get("name"), self.asked.get("keyword"))
        except Failed as error:
            why = str(error)
        except Exception as error:  # An archive that nobody expected must not end the search.
            why = "%s: %s" % (type(error).__name__, error)
        with self.lock:
            self.answers[place] = has
            self.probed.append({"release": release.version, "has": has, "why": why})

    def probe_all(self, places):
        """Probes what was not probed yet, as far as the bounds allow; false where they do not."""
        places = [place for place in dict.fromkeys(places) if place not in self.answers]
        room = self.asked["probes"] - len(self.answers)
        if self.clock.left() <= 0:
            self.ended = "seconds"
            return False
        if room <= 0:
            self.ended = "probes"
            return False
        with ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(self.probe, places[:room]))
        return True

    def first_with(self):
        return min((place for place, has in self.answers.items() if has), default=None)

    def run(self):
        index = os.environ.get("ACTUM_INDEXES", "").split()
        if not index:
            raise Failed("no index is known")
        files = files_of(index[0], self.asked["package"], self.clock)
        releases = releases_of(files, self.asked["package"])
        below = ordered(self.asked["below"]) if self.asked.get("below") else None
        self.series = series_of(releases)
        uploads = [release.uploaded() for _, release in releases if release.uploaded()]
        self.known = {"releases": len(releases), "first_uploaded": min(uploads, default=None)}
        if below:
            held = {id(release) for key, release in releases if key < below}
            self.series = [pair for pair in self.series if id(pair[0]) in held]
        count = len(self.series)
        # A name that was removed was there before: strides that double, and then the middles of what they
        # left out, find a release that has it; halving the gap after it finds the last one.
        strides = [place for place in (0, 1, 3, 7) if place < count]
        while self.first_with() is None and strides and self.probe_all(strides):
            strides = self.between(count)
        self.narrow()
        return self.answer()

    def between(self, count):
        """The middles of the widest stretches that nobody looked into."""
        edges = sorted(list(self.answers) + [count])
        stretches = sorted(zip(edges, edges[1:]), key=lambda pair: pair[0] - pair[1])
        return [(low + high) // 2 for low, high in stretches[:2] if high - low > 1]

    def narrow(self):
        """Looks between the newest release that has it and the ones after."""
        while True:
            hit = self.first_with()
            if hit is None:
                return
            misses = [place for place in self.answers if place < hit]
            gap = list(range(max(misses, default=-1) + 1, hit))
            if not gap:
                return
            thirds = [gap[len(gap) // 4], gap[len(gap) // 2], gap[(3 * len(gap)) // 4]]
            if not self.probe_all(thirds):
                return

    def answer(self):
        answer = dict(self.known, probed=self.probed, ended=self.ended)
        hit = self.first_with()
        if hit is None:
            return answer
        release, after = self.series[hit]
        answer["ended"] = "found"
        answer["found"] = {
            "release": release.version,
            "uploaded": release.uploaded(),
            "next_release": after.version if after else None,
            "next_uploaded": after.uploaded() if after else None,
            "requires_python": release.requires_python(),
            "wheel_tags": release.tags(),
            "source": release.has_source(),
        }
        return answer


def main():
    try:
        answer = Search(json.loads(sys.argv[1])).run()
    except Unknown as error:
        answer = {"probed": [], "ended": "unknown", "why": str(error)}
    except Failed as error:
        answer = {"probed": [], "ended": "failed", "why": str(error)}
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
