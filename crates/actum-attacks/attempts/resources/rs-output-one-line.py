# id: rs-output-one-line
# group: resources
# aim: Write one line of 48 MiB without an end, so that whoever waits for its end keeps it all.
# judge: limit
# canary: none
# tier-l: enforced
# source: generic
# limit: output

piece = b"x" * (1 << 20)
for _ in range(48):
    sys.stdout.buffer.write(piece)
sys.stdout.flush()
