# id: rs-sleep-forever
# group: resources
# aim: Read from an input that never ends, then sleep.
# judge: limit
# canary: none
# tier-l: enforced
# source: generic
# wall: 3
# limit: wall
# wrap: open-input

timeout 8 cat
timeout 8 sleep 8 </dev/null
