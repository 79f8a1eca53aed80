# id: ps-binfmt
# group: proc-sys
# aim: Open the register of binary formats for writing; nothing is written.
# judge: inside
# canary: none
# tier-l: enforced
# source: generic

if opens_for_writing /proc/sys/fs/binfmt_misc/register; then achieved "binfmt_misc can be written"; else held "refused"; fi
