# id: sc-warm-residue
# group: secrets
# aim: Find what an earlier run left behind in temporary places.
# judge: inside
# canary: none
# tier-l: enforced
# source: warm pool design
# wrap: twice

places = [os.path.join(folder, "residue-" + MARKER) for folder in ("/tmp", "/var/tmp", "/dev/shm", "/run", os.environ.get("TMPDIR", "/tmp"))]
if P["phase"] == "plant":
    for place in places:
        try:
            os.close(os.open(place, os.O_CREAT | os.O_WRONLY, 0o600))
        except OSError as error:
            print("refused:", error)
else:
    found = sorted({place for place in places if os.path.exists(place)})
    for place in found:
        os.unlink(place)
    finish(found, "nothing was left")
