# id: fs-write-usr
# group: fs-write
# aim: Create a file below /usr and /etc.
# judge: outside
# canary: system-folders
# tier-l: enforced
# source: generic

for folder in P["plant_folders"].split(":"):
    if folder.startswith(("/usr", "/etc")):
        try:
            os.close(os.open(plant(folder), os.O_WRONLY | os.O_CREAT, 0o600))
        except OSError as error:
            print("refused:", error)
