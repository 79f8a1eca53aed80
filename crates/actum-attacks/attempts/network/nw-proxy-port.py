# id: nw-proxy-port
# group: network
# aim: Ask the proxy for the allowed name on another port.
# judge: inside
# canary: none
# tier-l: enforced
# source: policy
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


refusal, allowed = answer("refused.invalid:443"), answer("allowed.test:443")
print("a refusal:", refusal, "allowed:", allowed)
wrong = [port for port in ("22", "25", "80", "4430", "4433", "65979") if answer("allowed.test:" + port) != refusal]
finish([port for port in wrong if refusal != allowed], "only the pair of name and port is let through")
