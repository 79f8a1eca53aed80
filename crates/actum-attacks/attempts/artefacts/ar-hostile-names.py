# id: ar-hostile-names
# group: artefacts
# aim: Leave files whose names hold line ends, escape sequences, invalid UTF-8 and leading dashes.
# judge: outside
# canary: none
# tier-l: enforced
# source: generic
# watch: escapes

for name in (b"new\nline", b"\x1b]0;title\x07", b"\x1b[2J", b"\xff\xfe", b"-rf", b"--help", b"n" * 255, b"$(true)", b"\xe2\x80\xaegnp.exe"):
    try:
        os.close(os.open(name, os.O_CREAT | os.O_WRONLY, 0o600))
    except OSError as error:
        print("refused:", error.errno)
