"""How long 100 calls of log_metric take: MLflow's client against the tracking server, and against one that answers `{}`.

    python log_metric.py PATH/TO/examples/tracking [ROUNDS]

Rounds alternate between the two servers. Prints minima and medians in milliseconds, and their ratios.
"""

import os
import statistics
import subprocess
import sys
import time

os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
os.environ.setdefault("DO_NOT_TRACK", "true")

from mlflow.tracking import MlflowClient  # noqa: E402


def start(program, *options):
    server = subprocess.Popen([program, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    return server, f"http://127.0.0.1:{server.stdout.readline().strip()}"


def measure(client, run):
    start = time.perf_counter()
    for step in range(100):
        client.log_metric(run, "loss", 0.5, step=step)
    return (time.perf_counter() - start) * 1000


program, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 15
full, full_uri = start(program)
empty, empty_uri = start(program, "--empty")
clients = {"tracking": MlflowClient(full_uri), "empty": MlflowClient(empty_uri)}
runs = {"tracking": clients["tracking"].create_run("0").info.run_id, "empty": "0" * 32}
times = {name: [] for name in clients}
for round_number in range(rounds + 1):
    for name, client in clients.items():
        taken = measure(client, runs[name])
        # The first round opens connections.
        if round_number > 0:
            times[name].append(taken)
assert len(clients["tracking"].get_metric_history(runs["tracking"], "loss")) == 100 * (rounds + 1)
for name, taken in times.items():
    print(f"{name:9} min {min(taken):7.1f} ms  median {statistics.median(taken):7.1f} ms")
ratio = [f(times["tracking"]) / f(times["empty"]) for f in (min, statistics.median)]
print(f"ratio     min {ratio[0]:.3f}     median {ratio[1]:.3f}")
for server in (full, empty):
    server.stdin.close()
    server.wait()
