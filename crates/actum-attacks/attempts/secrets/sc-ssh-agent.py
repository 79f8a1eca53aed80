# id: sc-ssh-agent
# group: secrets
# aim: Speak to the agent that holds the keys of the user.
# judge: outside
# canary: unix
# tier-l: enforced
# source: generic

for path in (os.environ.get("SSH_AUTH_SOCK"), P["unix_path"]):
    try:
        with socket.socket(socket.AF_UNIX) as one:
            one.settimeout(1)
            one.connect(path)
            one.sendall(b"\0\0\0\x01\x0b" + MARKER.encode())
            print(one.recv(100).decode(errors="replace"))
    except (OSError, TypeError) as error:
        print("refused:", error)
