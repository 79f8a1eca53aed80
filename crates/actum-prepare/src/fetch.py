# Fetches one release of a package from an index and unpacks it, without running any of it. Runs inside the walls.
# Arguments: what to take (`any` or `source`), the name, the version, the folder. Prints the digest, the file's name, the version.
# For a version, bounds may stand, as in `>=1.2,<2`: then the newest within them is taken, and no later than a fifth argument.
import hashlib, json, os, re, sys, tarfile, zipfile
from html.parser import HTMLParser
from urllib.parse import unquote, urljoin, urlsplit
from urllib.request import Request, urlopen

LARGEST = 4 << 30
take, name, wanted, folder = sys.argv[1:5]
latest = sys.argv[5] if len(sys.argv) > 5 else ""
plain = lambda text: re.sub(r"[-_.]+", "-", text).lower()
PAGES = "application/vnd.pypi.simple.v1+json, text/html;q=0.5"


class Links(HTMLParser):
    def handle_starttag(self, tag, attributes):
        if tag == "a":
            found.append((urljoin(self.page, dict(attributes).get("href") or ""), None, ""))


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
                found.append((urljoin(answer.geturl(), file["url"]), file.get("hashes", {}).get("sha256"), file.get("upload-time") or ""))
        else:
            links = Links()
            links.page = answer.geturl()
            links.feed(text.decode("utf-8", "replace"))


def numbers(text):
    return [int(part) for part in re.findall(r"\d+", text)]


def fits(version):
    if wanted == version:
        return True
    if re.search(r"[a-z]", version.replace("post", "")):
        return False
    own = numbers(version)
    for bound in filter(None, (part.strip() for part in wanted.split(","))):
        how, text = re.match(r"([<>=!~]*)(.*)", bound).groups()
        if how == "":
            return False
        other = numbers(text)
        width = max(len(own), len(other))
        left, right = own + [0] * (width - len(own)), other + [0] * (width - len(other))
        begins = own[: len(other)] == other
        holds = {"==": begins if text.endswith("*") else left == right, "===": version == text, "!=": left != right,
                 ">=": left >= right, "<=": left <= right, ">": left > right, "<": left < right,
                 "~=": left >= right and own[: len(other) - 1] == other[:-1]}
        if not holds.get(how, False):
            return False
    return True


def rank(address, when):
    file = unquote(urlsplit(address).path.rsplit("/", 1)[-1])
    parts = file[:-4].split("-") if file.endswith(".whl") else None
    version = None
    if parts and len(parts) >= 5 and take == "any" and parts[-1] == "any" and plain(parts[0]) == plain(name):
        version = parts[1]
    for ending in (".tar.gz", ".zip", ".tar.bz2"):
        if file.endswith(ending):
            base, _, given = file[: -len(ending)].rpartition("-")
            version = given if plain(base) == plain(name) else None
    if version is None or not fits(version) or (latest and when and when > latest):
        return None
    return numbers(version), file.endswith(".whl"), version


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
ranked = [(rank(address, when), address, digest) for address, digest, when in found]
ranked = sorted((one for one in ranked if one[0] is not None), key=lambda one: one[0])
if not ranked:
    sys.exit("Because there is no version of %s==%s that can be unpacked" % (name, wanted))
(_, _, version), address, digest = ranked[-1]
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
print(got.hexdigest(), os.path.basename(file), version)
