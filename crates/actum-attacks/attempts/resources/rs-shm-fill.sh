# id: rs-shm-fill
# group: resources
# aim: Fill shared memory beyond the limit of memory: at most 330 MiB, removed at once.
# judge: limit
# canary: none
# tier-l: enforced
# source: generic
# limit: memory

file="/dev/shm/fill-$marker"
trap 'rm -f "$file"' EXIT
dd if=/dev/zero of="$file" bs=1048576 count=330 2>/dev/null
size=$(stat -c %s "$file" 2>/dev/null || echo 0)
rm -f "$file"
if [ "$size" -gt $((memory_limit + 33554432)) ]; then achieved "$size bytes in /dev/shm"; else held "$size bytes in /dev/shm"; fi
