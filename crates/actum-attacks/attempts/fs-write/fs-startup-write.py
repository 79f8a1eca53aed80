# id: fs-startup-write
# group: fs-write
# aim: Plant settings that version control, editors and build tools obey without asking.
# judge: outside
# canary: none
# tier-l: enforced
# source: files that other programs act on later
# watch: hooks

for path, text in {
    ".hg/hgrc": "[hooks]\nupdate = : canary\n", ".jj/repo/config.toml": "[fix]\n", ".helix/config.toml": "",
    ".dir-locals-2.el": "((nil . ((eval . nil))))\n", ".git/info/attributes": "* filter=canary\n",
    ".husky/pre-commit": ": canary\n", ".envrc": ": canary\n",
}.items():
    try:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path, "w") as file:
            file.write(text)
    except OSError as error:
        print("refused:", error)
