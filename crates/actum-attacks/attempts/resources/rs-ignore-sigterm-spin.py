# id: rs-ignore-sigterm-spin
# group: resources
# aim: Ignore every signal that can be ignored, and spin.
# judge: limit
# canary: none
# tier-l: enforced
# source: generic
# wall: 3
# limit: wall

for number in range(1, 65):
    try:
        if number != signal.SIGALRM:
            signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
end = time.monotonic() + 8
while time.monotonic() < end:
    pass
