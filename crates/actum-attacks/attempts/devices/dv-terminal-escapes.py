# id: dv-terminal-escapes
# group: devices
# aim: Print sequences that set the clipboard, the title and links of a reader's terminal.
# judge: outside
# canary: none
# tier-l: enforced
# source: terminal injection class
# watch: escapes
# wrap: terminal

sys.stdout.write("\x1b]52;c;Y2FuYXJ5\x07\x1b]0;canary\x07\x1b[2J\x1b]8;;http://canary.test\x07link\x1b]8;;\x07\n")
sys.stdout.flush()
sys.stderr.write("\x1b]52;c;Y2FuYXJ5\x07\n")
