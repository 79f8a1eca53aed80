import random
random.seed(11)
with open("access.log", "w") as f:
    for i in range(5230):
        st = random.choices([200, 304, 404, 500], [88, 7, 4, 1])[0]
        ms = random.lognormvariate(3.1, .6)
        f.write(f'10.0.{i%7}.{i%251} - - [12/May/2024:10:{i//88%60:02d}:{i%60:02d}] "GET /api/{random.choice(["items","users","cart","search"])} HTTP/1.1" {st} {random.randint(200,9000)} {ms:.1f}\n')
    f.write("corrupt line\n" * 3)
