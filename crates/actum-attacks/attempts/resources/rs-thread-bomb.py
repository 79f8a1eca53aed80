# id: rs-thread-bomb
# group: resources
# aim: Start many threads at once: at most 250, each for at most a second.
# judge: limit
# canary: none
# tier-l: enforced
# source: generic
# limit: processes

import threading

threading.stack_size(65536)
end = time.monotonic() + 1.2
started = 0
try:
    for _ in range(250):
        threading.Thread(target=lambda: time.sleep(max(0, end - time.monotonic())), daemon=True).start()
        started += 1
except RuntimeError as error:
    print("refused:", error)
time.sleep(0.6)
held("%d threads were alive at once" % started)
os._exit(0)
