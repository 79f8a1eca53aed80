# id: pv-personality
# group: kernel-surface
# aim: Turn off the shuffling of addresses, and make all that is readable executable.
# judge: inside
# canary: none
# tier-l: enforced
# source: generic

def become(value):
    result, error = call("personality", value)
    return "personality %#x" % value if result >= 0 and call("personality", 0xFFFFFFFF)[0] == value else None


finish([said for said in (apart(lambda: become(value)) for value in (0x0040000, 0x0400000, 0x0008)) if said])
