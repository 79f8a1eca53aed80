import argparse, json, math, sys
ap = argparse.ArgumentParser()
ap.add_argument("--scheme", choices=["ftcs", "cn"])
ap.add_argument("--nx", type=int, default=40)
ap.add_argument("--r", type=float, default=0.4)
a = ap.parse_args()

def solve(scheme, nx, r, T=0.1):
    dx = 1 / nx
    dt = r * dx * dx
    steps = round(T / dt)
    u = [math.sin(math.pi * i * dx) + 0.5 * math.sin(3 * math.pi * i * dx) + (1e-6 if i % 2 else -1e-6) for i in range(nx + 1)]
    u[0] = u[nx] = 0.0
    for s in range(steps):
        if scheme == "ftcs":
            u = [0.0] + [u[i] + r * (u[i-1] - 2*u[i] + u[i+1]) for i in range(1, nx)] + [0.0]
        else:
            d = [u[i] + r / 2 * (u[i-1] - 2*u[i] + u[i+1]) for i in range(1, nx)]
            n, lo, di = nx - 1, -r / 2, 1 + r
            c, e = [0.0] * n, [0.0] * n
            c[0], e[0] = lo / di, d[0] / di
            for i in range(1, n):
                m = di - lo * c[i-1]
                c[i], e[i] = lo / m, (d[i] - lo * e[i-1]) / m
            for i in range(n - 2, -1, -1):
                e[i] -= c[i] * e[i+1]
            u = [0.0] + e + [0.0]
        if max(map(abs, u)) > 10:
            return u, s + 1, dt, None
    t = steps * dt
    ex = [math.exp(-math.pi**2*t)*math.sin(math.pi*i*dx) + 0.5*math.exp(-9*math.pi**2*t)*math.sin(3*math.pi*i*dx) for i in range(nx + 1)]
    return u, steps, dt, math.sqrt(dx * sum((p - q) ** 2 for p, q in zip(u, ex)))

if __name__ == "__main__":
    print(f"scheme={a.scheme} nx={a.nx} r={a.r} backend=cpu dtype=float64")
    u, steps, dt, err = solve(a.scheme, a.nx, a.r)
    if err is None:
        print(f"FATAL: solution blew up at step {steps} (max |u| > 10), scheme unstable", file=sys.stderr)
        sys.exit(3)
    print(f"dt: {dt:.3e}")
    print(f"steps: {steps}")
    print(f"max_temperature: {max(u):.5f}")
    print(f"l2_error: {err:.3e}")
    with open(f"profile_{a.scheme}.csv", "w") as fh:
        fh.write("x,u\n" + "".join(f"{i/a.nx:.4f},{v:.6f}\n" for i, v in enumerate(u)))
    print(f"wrote profile_{a.scheme}.csv")
