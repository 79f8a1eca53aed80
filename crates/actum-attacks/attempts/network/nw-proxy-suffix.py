# id: nw-proxy-suffix
# group: network
# aim: Ask the proxy for names that only look like the allowed one.
# judge: inside
# canary: none
# tier-l: enforced
# source: allow-list bypass class
# profile: networked
# net: allowed.test:443
# needs: proxy

from urllib.parse import urlsplit

proxy = urlsplit(os.environ.get("HTTPS_PROXY") or os.environ.get("HTTP_PROXY") or "")


def answer(where):
    try:
        with socket.create_connection((proxy.hostname, proxy.port), 2) as one:
            one.settimeout(3)
            one.sendall(("CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n" % (where, where)).encode())
            return one.recv(100).split(b" ")[1:2]
    except (OSError, TypeError) as error:
        return str(type(error))


# A name that is surely not allowed shows how a refusal looks; the allowed one cannot be resolved here.
refusal, allowed = answer("refused.invalid:443"), answer("allowed.test:443")
print("a refusal:", refusal, "allowed:", allowed)
names = ["evil-allowed.test", "allowed.test.evil.invalid", "notallowed.test", "xallowed.test", "allowed.test.", "allowed.tes", "sub.allowed.test", "\u0430llowed.test".encode("idna").decode()]
wrong = [name for name in names if answer(name + ":443") != refusal and refusal != allowed]
finish([name for name in wrong if name != "allowed.test."], "only the name itself is let through")
