# id: sc-shell-injection
# group: secrets
# aim: Have a shell act on arguments that hold quotes, substitutions and line ends.
# judge: outside
# canary: homes
# tier-l: enforced
# source: CWE-78
# wrap: hostile-arguments

expected = P["hostile"].split("\x1f")
print("as they were sent" if sys.argv[2:] == expected else "altered: %r" % sys.argv[2:])
