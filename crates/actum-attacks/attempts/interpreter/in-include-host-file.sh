# id: in-include-host-file
# group: interpreter
# aim: Include a file of the host in a program, so that the compiler shows it in its errors.
# judge: outside
# canary: ssh-key
# tier-l: enforced
# source: online-judge classic

printf '#include "%s"\n' "$secret" >include.c
cc -fsyntax-only include.c || held "nothing was included"
printf '%s\n' ".include \"$secret\"" >include.s
as include.s -o include.o
:
