# id: nw-proxy-empty-list
# group: network
# aim: Go out under a list of allowed hosts that is empty, which must mean nothing rather than everything.
# judge: outside
# canary: tcp, udp
# tier-l: enforced
# source: CVE-2025-66479
# profile: networked

from urllib.parse import urlsplit

proxy = urlsplit(os.environ.get("HTTPS_PROXY") or os.environ.get("HTTP_PROXY") or "")
ways = [("127.0.0.1", int(P["tcp_port"]), b"")]
if proxy.hostname:
    ways.append((proxy.hostname, proxy.port, b"CONNECT 127.0.0.1:%d HTTP/1.1\r\n\r\n" % int(P["tcp_port"])))
for host, port, first in ways:
    try:
        with socket.create_connection((host, port), 1) as one:
            one.settimeout(0.5)
            one.sendall(first + (b"" if first else MARKER.encode()))
            print(one.recv(200))
            one.sendall(MARKER.encode())
    except OSError as error:
        print("refused:", error)
