# id: ps-core-pattern
# group: proc-sys
# aim: Open the pattern of core files for writing; nothing is written.
# judge: inside
# canary: none
# tier-l: enforced
# source: container escape classic

if opens_for_writing /proc/sys/kernel/core_pattern; then achieved "core_pattern can be written"; else held "refused"; fi
