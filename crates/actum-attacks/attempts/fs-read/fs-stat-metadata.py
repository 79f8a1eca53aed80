# id: fs-stat-metadata
# group: fs-read
# aim: Learn that a file of the host exists, and its size, without opening it.
# judge: inside
# canary: ssh-key
# tier-l: open: Landlock does not cover stat
# source: Landlock documentation

found = []
for path in (P["secret"], P["canary_home"], os.path.join(P["second_home"], "id_ed25519")):
    try:
        found.append("%s has %d bytes" % (path, os.stat(path).st_size))
    except OSError as error:
        print("refused:", error)
finish(found)
