# id: nw-bind-host-port
# group: network
# aim: Listen where the host can connect.
# judge: outside
# canary: none
# tier-l: enforced
# source: generic
# wall: 5
# watch: dial

listeners = []
for family, address in ((socket.AF_INET, "0.0.0.0"), (socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::")):
    try:
        one = socket.socket(family)
        one.bind((address, int(P["listen_port"])))
        one.listen()
        one.setblocking(False)
        listeners.append(one)
    except OSError as error:
        print("refused:", error)
end = time.monotonic() + (1.5 if listeners else 0)
while time.monotonic() < end:
    for one in listeners:
        try:
            caller, _ = one.accept()
            caller.sendall(MARKER.encode())
            caller.close()
        except OSError:
            pass
    time.sleep(0.02)
