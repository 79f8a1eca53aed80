# id: ps-uevent-helper
# group: proc-sys
# aim: Open the helper of device events, and debugging files of the kernel, for writing; nothing is written.
# judge: inside
# canary: none
# tier-l: enforced
# source: container escape classic

found=""
for file in /sys/kernel/uevent_helper /sys/kernel/mm/transparent_hugepage/enabled /sys/kernel/profiling /sys/module/kernel/parameters/panic; do
  opens_for_writing "$file" && found="$found $file"
done
if [ -n "$found" ]; then achieved "can be written:$found"; else held "refused"; fi
