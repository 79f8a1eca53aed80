# id: pv-hostname
# group: kernel-surface
# aim: Set the name of the host and of its domain, to what they are already.
# judge: inside
# canary: none
# tier-l: enforced
# source: generic

found = []
name = os.uname().nodename.encode()
result, error = call("sethostname", ctypes.c_char_p(name), len(name))
print("sethostname:", error)
if result == 0:
    found.append("sethostname")
with open("/proc/sys/kernel/domainname") as file:
    domain = file.read().strip().encode()
result, error = call("setdomainname", ctypes.c_char_p(domain), len(domain))
print("setdomainname:", error)
if result == 0:
    found.append("setdomainname")
finish(found)
