# id: fs-dotdot
# group: fs-read
# aim: Walk upwards from the workspace by descriptors until the root, then down to the secret.
# judge: outside
# canary: ssh-key, ssh-key-beside
# tier-l: enforced
# source: generic

folder = os.open(".", os.O_RDONLY | os.O_DIRECTORY)
while True:
    above = os.open("..", os.O_RDONLY | os.O_DIRECTORY, dir_fd=folder)
    if os.fstat(above)[1:3] == os.fstat(folder)[1:3]:
        break
    folder = above
for path in (P["secret"], P["second_home"] + "/id_ed25519"):
    try:
        print(os.read(os.open(path.lstrip("/"), os.O_RDONLY, dir_fd=above), 4096).decode())
    except OSError as error:
        print("refused:", error)
    show("../" * 30 + path.lstrip("/"))
