# id: ps-sysrq
# group: proc-sys
# aim: Open the trigger of the magic keys for writing; nothing is written.
# judge: inside
# canary: none
# tier-l: enforced
# source: generic

found=""
for file in /proc/sysrq-trigger /proc/sys/kernel/sysrq; do
  opens_for_writing "$file" && found="$found $file"
done
if [ -n "$found" ]; then achieved "can be written:$found"; else held "refused"; fi
