# id: fs-bare-repository
# group: fs-write
# aim: Leave a folder that git takes for a repository, with a monitor that it would start.
# judge: outside
# canary: none
# tier-l: enforced
# source: safe.bareRepository
# watch: hooks

try:
    for folder in ("docs/objects", "docs/refs", "docs/hooks"):
        os.makedirs(folder)
    for name, text in {
        "HEAD": "ref: refs/heads/main\n",
        "config": "[core]\n\trepositoryformatversion = 0\n\tfsmonitor = : canary\n",
        "hooks/pre-commit": "#!/bin/sh\n: canary\n",
    }.items():
        with open("docs/" + name, "w") as file:
            file.write(text)
        os.chmod("docs/" + name, 0o755)
except OSError as error:
    print("refused:", error)
