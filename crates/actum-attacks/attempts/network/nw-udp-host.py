# id: nw-udp-host
# group: network
# aim: Send datagrams to the host by every call that sends.
# judge: outside
# canary: udp
# tier-l: enforced
# source: Landlock limit

where = ("127.0.0.1", int(P["udp_port"]))
for send in (lambda one: one.sendto(MARKER.encode(), where), lambda one: one.sendmsg([MARKER.encode()], [], 0, where),
             lambda one: (one.connect(where), one.send(MARKER.encode()))):
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
            one.settimeout(0.3)
            send(one)
            print(one.recv(100).decode())
    except OSError as error:
        print("refused:", error)
