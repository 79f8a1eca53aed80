# id: rs-timer-signals
# group: resources
# aim: Queue realtime signals to oneself: at most 20,000.
# judge: inside
# canary: none
# tier-l: enforced
# source: generic

number = signal.SIGRTMIN + 2
signal.pthread_sigmask(signal.SIG_BLOCK, {number})
count = 0
while count < 20_000 and libc.sigqueue(os.getpid(), number, ctypes.c_void_p(0)) == 0:
    count += 1
(achieved if count >= 20_000 else held)("%d signals are queued" % count)
