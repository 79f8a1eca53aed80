import math, unittest

def trapezoid(f, a, b, n):
    h = (b - a) / n
    return h * (f(a) / 2 + sum(f(a + i * h) for i in range(1, n)) + f(b) / 2)

class Trapezoid(unittest.TestCase):
    def test_linear_is_exact(self):
        self.assertAlmostEqual(trapezoid(lambda x: 3 * x, 0, 2, 4), 6)
    def test_sine(self):
        self.assertAlmostEqual(trapezoid(math.sin, 0, math.pi, 2000), 2, places=5)
    def test_order_two(self):
        e = [abs(trapezoid(math.exp, 0, 1, n) - (math.e - 1)) for n in (50, 100)]
        self.assertAlmostEqual(e[0] / e[1], 4, places=2)
    def test_empty_interval(self):
        self.assertEqual(trapezoid(math.exp, 1, 1, 3), 0)
    def test_six_digits(self):
        self.assertAlmostEqual(trapezoid(math.exp, 0, 1, 50), math.e - 1, places=6)

if __name__ == "__main__":
    unittest.main()
