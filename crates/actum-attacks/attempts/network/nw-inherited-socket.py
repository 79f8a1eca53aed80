# id: nw-inherited-socket
# group: network
# aim: Speak on a connection that the supervisor left open.
# judge: outside
# canary: tcp
# tier-l: enforced
# source: generic
# wrap: leak

for number in range(3, 256):
    try:
        with socket.socket(fileno=os.dup(number)) as one:
            # Only the canary's connection: another open socket would not be ours to speak on.
            if one.getpeername() == ("127.0.0.1", int(P["tcp_port"])):
                one.sendall(MARKER.encode())
                one.settimeout(1)
                print(one.recv(100).decode())
    except OSError:
        pass
held("no connection was left open to us")
