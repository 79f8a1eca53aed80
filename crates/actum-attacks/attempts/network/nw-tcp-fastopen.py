# id: nw-tcp-fastopen
# group: network
# aim: Send the first bytes of a connection without ever calling connect.
# judge: outside
# canary: tcp
# tier-l: enforced
# source: filter bypass class

MSG_FASTOPEN = 0x20000000
try:
    # Blocking: with a timeout Python makes the socket impatient, and the call only begins.
    with socket.socket() as one:
        one.sendto(MARKER.encode(), MSG_FASTOPEN, ("127.0.0.1", int(P["tcp_port"])))
        print(one.recv(100).decode())
except OSError as error:
    print("refused:", error)
