# id: ar-fifo
# group: artefacts
# aim: Leave a pipe without a writer where a result is expected, so that its reader hangs.
# judge: outside
# canary: none
# tier-l: enforced
# source: isolate removes special files
# wall: 4

rm -f result.txt
mkfifo result.txt output.json
held "two pipes are left behind; whoever reads them must not hang"
