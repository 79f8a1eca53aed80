# id: nw-proxy-rebinding
# group: network
# aim: Ask the proxy for an allowed name that leads to the loopback of the host.
# judge: outside
# canary: tcp
# tier-l: enforced
# source: DNS rebinding
# profile: networked
# net: localhost:{tcp}
# needs: proxy

from urllib.parse import urlsplit

proxy = urlsplit(os.environ.get("HTTPS_PROXY") or os.environ.get("HTTP_PROXY") or "")
try:
    with socket.create_connection((proxy.hostname, proxy.port), 1) as one:
        one.settimeout(2)
        one.sendall(("CONNECT localhost:%s HTTP/1.1\r\nHost: localhost:%s\r\n\r\n" % (P["tcp_port"], P["tcp_port"])).encode())
        print(one.recv(200)[:40])
        one.sendall(MARKER.encode())
        print(one.recv(200))
except (OSError, TypeError) as error:
    print("refused:", error)
