# id: rs-deep-recursion
# group: resources
# aim: Overflow the stack in a child, then match a pattern that takes for ever.
# judge: limit
# canary: none
# tier-l: enforced
# source: generic
# wall: 3
# limit: wall

import re


def overflow():
    sys.setrecursionlimit(10**6)

    def deeper(depth):
        return deeper(depth + 1) + 1

    return deeper(0)


def caught():
    try:
        return overflow()
    except (RecursionError, MemoryError) as error:
        return type(error).__name__


print(apart(caught))
# The engine does not look at signals while it matches; the alarm of the kernel still ends it.
signal.signal(signal.SIGALRM, signal.SIG_DFL)
signal.alarm(8)
re.match("(a+)+$", "a" * 40 + "b")
