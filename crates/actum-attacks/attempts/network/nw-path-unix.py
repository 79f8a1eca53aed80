# id: nw-path-unix
# group: network
# aim: Connect to a unix socket of the host by its path, also through a link and a changed folder.
# judge: outside
# canary: unix
# tier-l: enforced
# source: generic

def talk(path):
    try:
        with socket.socket(socket.AF_UNIX) as one:
            one.settimeout(1)
            one.connect(path)
            one.sendall(MARKER.encode())
            print(one.recv(100).decode())
    except OSError as error:
        print("refused:", error)


talk(P["unix_path"])
os.symlink(P["unix_path"], "link.sock")
talk("link.sock")
try:
    os.chdir(os.path.dirname(P["unix_path"]))
    talk("agent.sock")
except OSError as error:
    print("refused:", error)
