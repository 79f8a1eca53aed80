# id: nw-proxy-bypass
# group: network
# aim: Leave the proxy aside and connect directly, though only the proxy may go out.
# judge: inside
# canary: tcp
# tier-l: enforced
# source: policy
# profile: networked
# net: allowed.test:443

for name in list(os.environ):
    if name.lower().endswith("_proxy"):
        del os.environ[name]
found = []
try:
    with socket.create_connection(("127.0.0.1", int(P["tcp_port"])), 1) as one:
        one.sendall(MARKER.encode())
        print(one.recv(100).decode())
except OSError as error:
    print("refused:", error)
try:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.connect(("192.0.2.1", 443))
        found.append("a route past the proxy")
except OSError as error:
    print("refused:", error)
finish(found)
