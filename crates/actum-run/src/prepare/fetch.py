# Fetches one release of a package from an index and unpacks it, without running any of it. Runs inside the walls.
# Arguments: what to take (`any` or `source`), the name, the version, the folder. Prints the digest and the file's name.
import hashlib, json, os, re, sys, tarfile, zipfile
from html.parser import HTMLParser
from urllib.parse import unquote, urljoin, urlsplit
from urllib.request import Request, urlopen

LARGEST = 4 << 30
take, name, version, folder = sys.argv[1:5]
plain = lambda text: re.sub(r"[-_.]+", "-", text).lower()
PAGES = "application/vnd.pypi.simple.v1+json, text/html;q=0.5"


class Links(HTMLParser):
    def handle_starttag(self, tag, attributes):
        if tag == "a":
            found.append((urljoin(self.page, dict(attributes).get("href") or ""), None))


def files():
    for index in os.environ["ACTUM_INDEXES"].split():
        page = index.rstrip("/") + "/" + plain(name) + "/"
        try:
            answer = urlopen(Request(page, headers={"Accept": PAGES}), timeout=30)
        except Exception as error:
            sys.stderr.write("Failed to fetch: %s: %s\n" % (name, error))
            continue
        text = answer.read(LARGEST)
        if "json" in answer.headers.get("Content-Type", ""):
            for file in json.loads(text)["files"]:
                found.append((urljoin(answer.geturl(), file["url"]), file.get("hashes", {}).get("sha256")))
        else:
            links = Links()
            links.page = answer.geturl()
            links.feed(text.decode("utf-8", "replace"))


def rank(address):
    file = unquote(urlsplit(address).path.rsplit("/", 1)[-1])
    parts = file[:-4].split("-") if file.endswith(".whl") else None
    if parts and len(parts) >= 5:
        fits = plain(parts[0]) == plain(name) and parts[1] == version and parts[-1] == "any"
        return 0 if fits and take == "any" else None
    for ending in (".tar.gz", ".zip", ".tar.bz2"):
        if file.endswith(ending):
            base, _, given = file[: -len(ending)].rpartition("-")
            return 1 if plain(base) == plain(name) and given == version else None
    return None


def inside(path):
    whole = os.path.realpath(os.path.join(folder, path))
    return whole.startswith(os.path.realpath(folder) + os.sep)


def unpack(file):
    if file.endswith((".whl", ".zip")):
        with zipfile.ZipFile(file) as archive:
            archive.extractall(folder, [one for one in archive.namelist() if inside(one)])
    else:
        with tarfile.open(file) as archive:
            for one in archive:
                if (one.isfile() or one.isdir()) and inside(one.name):
                    archive.extract(one, folder)


found = []
files()
ranked = sorted((rank(address), address, digest) for address, digest in found if rank(address) is not None)
if not ranked:
    sys.exit("Because there is no version of %s==%s that can be unpacked" % (name, version))
_, address, digest = ranked[0]
fragment = urlsplit(address).fragment
digest = digest or (fragment[7:] if fragment.startswith("sha256=") else None)
file = os.path.join(folder, unquote(urlsplit(address).path.rsplit("/", 1)[-1]))
os.makedirs(folder)
got = hashlib.sha256()
try:
    with urlopen(address.split("#")[0], timeout=30) as answer, open(file, "wb") as out:
        for chunk in iter(lambda: answer.read(1 << 20), b""):
            got.update(chunk)
            out.write(chunk)
except Exception as error:
    sys.exit("Failed to fetch: %s: %s" % (os.path.basename(file), error))
if digest and got.hexdigest() != digest:
    sys.exit("Hash mismatch for `%s`" % name)
unpack(file)
print(got.hexdigest(), os.path.basename(file))
