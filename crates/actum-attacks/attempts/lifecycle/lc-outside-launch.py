# id: lc-outside-launch
# group: lifecycle
# aim: Reach those who start processes for others: the session bus, cron and at.
# judge: inside
# canary: unix
# tier-l: enforced
# source: generic

found = []
address = os.environ.get("DBUS_SESSION_BUS_ADDRESS", "unix:path=" + P["unix_path"])
try:
    with socket.socket(socket.AF_UNIX) as one:
        one.settimeout(1)
        one.connect(address.removeprefix("unix:path="))
        one.sendall(b"\0AUTH EXTERNAL " + MARKER.encode())
        print(one.recv(100).decode())
except OSError as error:
    print("refused:", error)
for folder in ("/var/spool/cron", "/var/spool/cron/crontabs", "/var/spool/at", "/var/spool/cron/atjobs", "/etc/cron.d", "/etc/systemd/system"):
    if os.access(folder, os.W_OK):
        # The question to the kernel may be answered by the mode alone; a nameless file asks the walls as well.
        try:
            os.close(os.open(folder, os.O_TMPFILE | os.O_WRONLY, 0o600))
            found.append(folder)
        except OSError as error:
            print("refused:", error)
finish(found)
