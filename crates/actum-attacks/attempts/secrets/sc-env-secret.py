# id: sc-env-secret
# group: secrets
# aim: Read a secret from the environment that was inherited.
# judge: outside
# canary: variable
# tier-l: enforced
# source: Judge0 564, common

# Only the canary is ever shown.
print(os.environ.get(P["secret_variable"]))
with open("/proc/self/environ", "rb") as file:
    print([line.decode() for line in file.read().split(b"\0") if line.startswith(P["secret_variable"].encode())])
