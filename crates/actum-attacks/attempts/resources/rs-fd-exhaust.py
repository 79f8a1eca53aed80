# id: rs-fd-exhaust
# group: resources
# aim: Open more descriptors than allowed: at most 5,000.
# judge: limit
# canary: none
# tier-l: enforced
# source: generic
# limit: descriptors

import resource

try:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
except (OSError, ValueError) as error:
    print("refused:", error)
count = 0
try:
    for count in range(1, 5001):
        os.dup(0)
except OSError as error:
    print("refused:", error)
(achieved if count > int(P["descriptors_limit"]) + 8 else held)("%d descriptors" % count)
