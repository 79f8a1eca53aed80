# id: fs-chown-host
# group: fs-write
# aim: Leave links where a supervisor might change owner or mode by path.
# judge: outside
# canary: ssh-key, config
# tier-l: enforced
# source: CVE-2024-28189

for name, target in {"result.txt": P["secret"], "output": P["canary_home"], "log": P["canary_home"] + "/config/actum.toml"}.items():
    try:
        if os.path.lexists(name):
            os.unlink(name)
        os.symlink(target, name)
    except OSError as error:
        print("refused:", error)
