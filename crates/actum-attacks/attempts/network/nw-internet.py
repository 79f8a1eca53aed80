# id: nw-internet
# group: network
# aim: Find a route to public addresses; connecting a datagram socket sends nothing.
# judge: inside
# canary: none
# tier-l: enforced
# source: generic

found = []
for family, address in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET, "198.51.100.1"), (socket.AF_INET6, "2001:db8::1")):
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as one:
            one.connect((address, 443))
            found.append("a route to " + address)
    except OSError as error:
        print("refused:", error)
finish(found)
