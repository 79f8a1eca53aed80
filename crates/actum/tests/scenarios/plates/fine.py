import time
print("nx=2000 steps=4000000, this will take a while", flush=True)
for p in range(100):
    time.sleep(0.5)
    print(f"progress {p}%", flush=True)
