# id: ar-hardlink-out
# group: artefacts
# aim: Link a file of the host into the workspace as a second name of the same inode.
# judge: outside
# canary: ssh-key
# tier-l: enforced
# source: CVE-2024-28189
# watch: hard-link, collected

for source in (P["secret"], os.path.join(P["second_home"], "id_ed25519"), "/proc/self/root" + P["secret"]):
    try:
        os.link(source, "second-name-%d" % len(source))
    except OSError as error:
        print("refused:", error)
