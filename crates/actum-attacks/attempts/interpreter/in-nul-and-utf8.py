# id: in-nul-and-utf8
# group: interpreter
# aim: Write NUL bytes and invalid UTF-8, which must arrive as they were written.
# judge: outside
# canary: none
# tier-l: enforced
# source: generic
# watch: bytes

sys.stdout.buffer.write(b"exact:\x00\xff\xfe\xc3\x28:end\n")
sys.stdout.flush()
