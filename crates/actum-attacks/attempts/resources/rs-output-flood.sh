# id: rs-output-flood
# group: resources
# aim: Write more to standard output than may be kept: 48 MiB.
# judge: limit
# canary: none
# tier-l: enforced
# source: generic
# limit: output

yes "$marker" | head -c 50331648
