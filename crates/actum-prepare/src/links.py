# Prints the hosts that pages of package indexes link to, each with its port. Runs inside the walls.
import os, re, sys
from html.parser import HTMLParser
try:
    from urllib.parse import urljoin, urlsplit
    from urllib.request import Request, urlopen
except ImportError:
    from urlparse import urljoin, urlsplit
    from urllib2 import Request, urlopen

LARGEST = 64 << 20
found = set()


class Links(HTMLParser):
    def handle_starttag(self, tag, attributes):
        if tag == "a":
            note(urljoin(self.page, dict(attributes).get("href") or ""))


def note(address):
    parts = urlsplit(address)
    if parts.scheme in ("http", "https") and parts.hostname:
        found.add((parts.hostname, parts.port or (443 if parts.scheme == "https" else 80)))


for index in os.environ["ACTUM_INDEXES"].split():
    for name in sys.argv[1:]:
        page = index.rstrip("/") + "/" + re.sub(r"[-_.]+", "-", name).lower() + "/"
        try:
            answer = urlopen(Request(page, headers={"Accept": "text/html"}), timeout=20)
            links = Links()
            links.page = answer.geturl()
            links.feed(answer.read(LARGEST).decode("utf-8", "replace"))
        except Exception as error:
            sys.stderr.write("%s: %s\n" % (name, error))

for host, port in sorted(found):
    print(host, port)
