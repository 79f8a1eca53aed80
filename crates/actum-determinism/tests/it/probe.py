"""Prints what thirteen sources of difference give in this process, as JSON."""
import json
import locale
import os
import random
import secrets
import sys
import tempfile
import threading
import time
import uuid

try:
    import numpy
except ImportError:
    numpy = None


def interleaving():
    seen = []

    def work(name):
        for _ in range(50):
            seen.append(name)
            time.sleep(0)

    threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return "".join(seen)


def listing():
    with tempfile.TemporaryDirectory() as folder:
        for name in "qwertyuiop":
            open(os.path.join(folder, name), "w").close()
        return os.listdir(folder)


def own_locale():
    locale.setlocale(locale.LC_ALL, "")
    return [time.tzname, time.localtime(0).tm_hour, locale.setlocale(locale.LC_ALL), sys.getfilesystemencoding()]


rows = {
    "random.random": random.random(),
    "random.Random()": random.Random().random(),
    "set order": list({"one", "two", "three", "four", "five", "six", "seven"}),
    "os.urandom": os.urandom(8).hex(),
    "uuid4 and secrets": [str(uuid.uuid4()), secrets.token_hex(8)],
    "temporary names": os.path.basename(tempfile.mktemp()),
    "time.time_ns": time.time_ns(),
    "pid": os.getpid(),
    "listdir": listing(),
    "time zone and locale": own_locale(),
    "threads": interleaving(),
}
if numpy is not None:
    rows["numpy.random.rand"] = numpy.random.rand()
    rows["numpy default_rng()"] = numpy.random.default_rng().random()
print(json.dumps(rows))
