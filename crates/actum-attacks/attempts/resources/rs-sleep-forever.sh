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

# In the foreground, so that they stay in our group and go when we go.
timeout --foreground 8 cat
timeout --foreground 8 sleep 8 </dev/null
