# id: in-compile-time
# group: interpreter
# aim: Read a secret while building: in a setup file, a makefile and a compiler.
# judge: outside
# canary: ssh-key
# tier-l: enforced
# source: DMOJ 318

import subprocess

with open("setup.py", "w") as file:
    file.write("print(open(%r).read())\n" % P["secret"])
with open("Makefile", "w") as file:
    file.write("$(info $(shell cat '%s'))\nall:\n" % P["secret"])
with open("build.c", "w") as file:
    file.write('__asm__(".incbin \\"%s\\"");\nint main(void) { return 0; }\n' % P["secret"])
for line in ([sys.executable, "setup.py"], ["make", "-s"], ["sh", "-c", "cc -c build.c -o build.o && cat build.o"]):
    try:
        result = subprocess.run(line, capture_output=True, timeout=5)
        sys.stdout.buffer.write(result.stdout + result.stderr)
    except OSError as error:
        print("refused:", error)
