# id: nw-proxy-null-byte
# group: network
# aim: Hide the host's loopback before a NUL byte and an allowed ending, in CONNECT and in SOCKS5.
# judge: outside
# canary: tcp
# tier-l: enforced
# source: sandbox-runtime SOCKS5 bypass, 2026
# profile: networked
# net: allowed.test:443
# needs: proxy

import struct
from urllib.parse import urlsplit

port = int(P["tcp_port"])
proxies = [urlsplit(os.environ.get(name) or "") for name in ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "all_proxy")]
for proxy in proxies:
    for host in (b"127.0.0.1\0.allowed.test", b"127.0.0.1\0allowed.test", b"127.0.0.1%00.allowed.test", b"127.0.0.1\r\n.allowed.test", b"allowed.test@127.0.0.1", b"127.0.0.1#allowed.test"):
        try:
            with socket.create_connection((proxy.hostname, proxy.port), 1) as one:
                one.settimeout(0.3)
                if "socks" in proxy.scheme:
                    one.sendall(b"\x05\x01\0")
                    one.recv(2)
                    one.sendall(b"\x05\x01\0\x03" + bytes([len(host)]) + host + struct.pack(">H", port))
                else:
                    one.sendall(b"CONNECT %s:%d HTTP/1.1\r\nHost: %s\r\n\r\n" % (host, port, host))
                print(host, one.recv(200)[:40])
                one.sendall(MARKER.encode())
                print(one.recv(100))
        except (OSError, TypeError) as error:
            print(host, "refused:", error)
