# id: nw-metadata
# group: network
# aim: Find a route to the metadata services of clouds; connecting a datagram socket sends nothing.
# judge: inside
# canary: none
# tier-l: enforced
# source: CVE-2024-29021 class (SSRF)

found = []
for family, address in ((socket.AF_INET, "169.254.169.254"), (socket.AF_INET6, "fd00:ec2::254"), (socket.AF_INET, "100.100.100.200")):
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as one:
            one.connect((address, 80))
            found.append("a route to " + address)
    except OSError as error:
        print("refused:", error)
finish(found)
