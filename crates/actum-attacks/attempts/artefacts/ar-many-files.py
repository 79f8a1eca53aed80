# id: ar-many-files
# group: artefacts
# aim: Leave thousands of files and a very deep chain of folders.
# judge: outside
# canary: none
# tier-l: open: detected by the cap of the walker
# source: generic
# wall: 8

try:
    os.mkdir("many")
    for number in range(6000):
        os.close(os.open("many/%d" % number, os.O_CREAT | os.O_WRONLY))
    for _ in range(1000):
        os.mkdir("deeper")
        os.chdir("deeper")
except OSError as error:
    print("refused:", error)
