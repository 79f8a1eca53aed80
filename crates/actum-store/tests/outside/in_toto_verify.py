"""in-toto-verify's own main, called with the arguments that VERIFY.md gives it."""

import logging
import os
import sys
import tempfile

from in_toto import in_toto_verify
from loop import walk

logging.getLogger("in_toto").addHandler(logging.NullHandler())
logging.disable(logging.CRITICAL)


class Refused(Exception):
    pass


def check(read, trust, folder):
    names = os.listdir(os.path.join(folder, "link"))
    assert len(names) == 2, names
    with tempfile.TemporaryDirectory() as place:
        for name in names:
            with open(os.path.join(place, name), "wb") as file:
                file.write(read(f"link/{name}"))
        arguments = sys.argv
        sys.argv = ["in-toto-verify", "--layout", os.path.join(place, "root.layout"), "--link-dir", place]
        sys.argv += ["--verification-keys", os.path.join(trust, "signer.pem")]
        try:
            in_toto_verify.main()
        except SystemExit as end:
            if end.code != 0:
                raise Refused(end.code) from end
        finally:
            sys.argv = arguments


walk(check)
