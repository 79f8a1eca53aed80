import math, random

def f(x):
    return math.sin(2 * x) + 0.5 * x

def points(n, seed, noise=0.3):
    r = random.Random(seed)
    out = []
    for _ in range(n):
        x = r.uniform(-2, 2)
        out.append((x, f(x) + r.gauss(0, noise)))
    return out

class Net:
    def __init__(self, h, seed):
        r = random.Random(seed)
        self.h = h
        self.a = [r.uniform(-1.5, 1.5) for _ in range(h)]
        self.b = [r.uniform(-1.5, 1.5) for _ in range(h)]
        self.c = [r.uniform(-0.5, 0.5) for _ in range(h)]
        self.d = 0.0

    def __call__(self, x):
        self.t = [math.tanh(a * x + b) for a, b in zip(self.a, self.b)]
        return sum(c * t for c, t in zip(self.c, self.t)) + self.d

    def step(self, x, y, lr):
        e = self(x) - y
        if abs(e) > 1e6:
            raise OverflowError
        for k in range(self.h):
            gt = e * self.c[k] * (1 - self.t[k] ** 2)
            self.c[k] -= lr * e * self.t[k]
            self.a[k] -= lr * gt * x
            self.b[k] -= lr * gt
        self.d -= lr * e

    def params(self):
        return 3 * self.h + 1

def fit(h, lr, seed, epochs=25):
    tr = points(240, 1)
    net, r = Net(h, seed), random.Random(seed)
    for _ in range(epochs):
        r.shuffle(tr)
        for x, y in tr:
            net.step(x, y, lr)
    return net

def rmse(net, pts):
    return math.sqrt(sum((net(x) - y) ** 2 for x, y in pts) / len(pts))
