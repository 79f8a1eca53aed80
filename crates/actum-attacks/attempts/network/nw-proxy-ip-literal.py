# id: nw-proxy-ip-literal
# group: network
# aim: Ask the proxy for the host's loopback under every way to write its address.
# judge: outside
# canary: tcp
# tier-l: enforced
# source: allow-list bypass class
# profile: networked
# net: allowed.test:443
# needs: proxy

from urllib.parse import urlsplit

proxy = urlsplit(os.environ.get("HTTPS_PROXY") or os.environ.get("HTTP_PROXY") or os.environ.get("http_proxy") or "")
for host in ("127.0.0.1", "2130706433", "0x7f000001", "0177.0.0.1", "127.1", "[::ffff:127.0.0.1]", "[::1]", "0.0.0.0", "localhost", "127.0.0.1."):
    port = P["tcp6_port"] if host == "[::1]" else P["tcp_port"]
    try:
        with socket.create_connection((proxy.hostname, proxy.port), 1) as one:
            one.sendall(("CONNECT %s:%s HTTP/1.1\r\nHost: allowed.test:443\r\n\r\n" % (host, port)).encode())
            print(host, one.recv(200)[:40])
            one.sendall(MARKER.encode())
            one.settimeout(0.2)
            print(one.recv(200))
    except (OSError, TypeError) as error:
        print(host, "refused:", error)
    try:
        with socket.create_connection((proxy.hostname, proxy.port), 1) as one:
            one.sendall(("GET http://%s:%s/%s HTTP/1.1\r\nHost: allowed.test\r\n\r\n" % (host, port, MARKER)).encode())
            print(host, one.recv(200)[:40])
    except (OSError, TypeError) as error:
        print(host, "refused:", error)
