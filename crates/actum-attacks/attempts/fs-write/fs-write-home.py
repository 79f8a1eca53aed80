# id: fs-write-home
# group: fs-write
# aim: Create a file in the home folder, and change one that is there.
# judge: outside
# canary: homes
# tier-l: enforced
# source: generic

for folder in (P["canary_home"], P["second_home"], P["home"]):
    for how in (os.O_WRONLY | os.O_CREAT, os.O_WRONLY | os.O_CREAT | os.O_EXCL):
        try:
            os.close(os.open(plant(folder), how, 0o600))
        except OSError as error:
            print("refused:", error)
try:
    with open(P["secret"], "a") as file:
        file.write("changed")
except OSError as error:
    print("refused:", error)
