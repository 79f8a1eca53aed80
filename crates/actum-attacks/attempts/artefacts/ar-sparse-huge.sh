# id: ar-sparse-huge
# group: artefacts
# aim: Leave a file of eight tebibytes without blocks, so that reading it never ends.
# judge: outside
# canary: none
# tier-l: enforced
# source: generic
# wall: 5

truncate -s 8T result.bin || truncate -s 1T result.bin || truncate -s 100G result.bin
held "a sparse file is left behind; whoever reads it must not read it all"
