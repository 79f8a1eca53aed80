"""Damped oscillator: Euler and RK4 against the exact solution, error at t = 10."""
import csv, json, math
ZETA, OMEGA, T = 0.1, 2.0, 10.0
def f(s): return (s[1], -2 * ZETA * OMEGA * s[1] - OMEGA ** 2 * s[0])
def exact(t):
    d = OMEGA * math.sqrt(1 - ZETA ** 2)
    return math.exp(-ZETA * OMEGA * t) * (math.cos(d * t) + ZETA * OMEGA / d * math.sin(d * t))
def add(s, k, h): return (s[0] + h * k[0], s[1] + h * k[1])
def euler(s, h): return add(s, f(s), h)
def rk4(s, h):
    a = f(s); b = f(add(s, a, h / 2)); c = f(add(s, b, h / 2)); d = f(add(s, c, h))
    return tuple(s[i] + h / 6 * (a[i] + 2 * b[i] + 2 * c[i] + d[i]) for i in (0, 1))
def solve(step, n):
    s = (1.0, 0.0)
    path = [s[0]]
    for _ in range(n):
        s = step(s, T / n); path.append(s[0])
    return path
rows, last, path = [], {}, None
print("steps      h        euler_err    rk4_err")
for n in (250, 500, 1000, 2000, 4000):
    e = abs(solve(euler, n)[-1] - exact(T))
    path = solve(rk4, n)
    r = abs(path[-1] - exact(T))
    rows.append((n, T / n, e, r))
    print(f"{n:<8} {T / n:<9.4f} {e:<12.4e} {r:.4e}")
oe, orr = math.log2(rows[-2][2] / rows[-1][2]), math.log2(rows[-2][3] / rows[-1][3])
print(f"euler_order: {oe:.3f}")
print(f"rk4_order: {orr:.3f}")
print(f"x(10) exact: {exact(T):.6f}")
with open("ode_convergence.csv", "w", newline="") as g:
    w = csv.writer(g); w.writerow(["steps", "h", "euler_err", "rk4_err"]); w.writerows(rows)
pts = " ".join(f"{i / 4000 * 600:.1f},{150 - 140 * x:.1f}" for i, x in enumerate(path) if i % 20 == 0)
open("oscillator.svg", "w").write(f'<svg xmlns="http://www.w3.org/2000/svg" width="600" height="300"><polyline fill="none" stroke="navy" points="{pts}"/></svg>\n')
print("saved ode_convergence.csv and oscillator.svg")
