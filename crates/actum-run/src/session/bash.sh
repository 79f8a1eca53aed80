# Keeps a Bash alive between calls. Started as `bash -c THIS`; its standard input is the control socket.
#
# Asked:    call ID KEEP N LENGTH_1 … LENGTH_N, a newline, then N parts: the code, its file name, the arguments.
# Answered: ready, once; done ID STATUS for each call. Nothing else is ever written there.

__actum_status=0 __actum_call= __actum_code= __actum_options= __actum_errexit= __actum_at_exit=
__actum_first=$BASHPID __actum_shell=$BASHPID
# The code is read as a file, so that its lines are counted from 1, and evaluated in there at the top level, so that what it
# declares lasts.
__actum_stub='exec 62<&-; eval "$__actum_code"'

# Leaves the call: from here on each command is refused by a trap that makes its function return, until none is left.
__actum_leave() {
  __actum_status=$1 __actum_left=1
  [[ $- != *e* ]] || __actum_errexit=e
  builtin set +e
  builtin trap - ERR
  shopt -s extdebug
  builtin trap __actum_unwind DEBUG
}

__actum_unwind() {
  return $(( ${#FUNCNAME[@]} > __actum_depth ? 2 : 0 ))
}

__actum_measure() {
  __actum_depth=${#FUNCNAME[@]}
}

# `set -e` would end the shell now.
__actum_failed() {
  local status=$?
  [[ $- == *e* && $BASHPID == "$__actum_shell" ]] || return 0
  __actum_leave "$status"
}

exit() {
  local status=${1:-$?}
  [[ $BASHPID == "$__actum_shell" && -n $__actum_call ]] || builtin exit "$status"
  __actum_leave "$status"
}

# A trap on EXIT belongs to the call that sets it. Shells that the call makes have their own.
trap() {
  if [[ $BASHPID == "$__actum_shell" && $# -ge 2 && $1 != -p && ${!#} == @(EXIT|0) ]]; then
    __actum_at_exit=${1#-}
    return 0
  fi
  builtin trap "$@"
}

# The options of a call last, but ours is not shown by `set -x`, nor ended by `set -e`.
__actum_aside='__actum_options=${-//[^euvx]/}$__actum_errexit __actum_errexit=; builtin set +euvx'

__actum_serve='
__actum_measure
while
  builtin trap : INT
  builtin trap - DEBUG
  builtin shopt -u extdebug
  if [[ -n $__actum_at_exit ]]; then
    __actum_code=$__actum_at_exit __actum_at_exit=
    builtin source /dev/fd/62 62<<<"$__actum_stub"
  fi
  [[ -z $__actum_call ]] || builtin printf "done %s %s\n" "$__actum_call" "$(( __actum_status & 255 ))" >&61
  __actum_call= __actum_left=
  IFS=" " builtin read -r -u 61 -a __actum_words
do
  __actum_parts=()
  for __actum_length in "${__actum_words[@]:4}"; do
    __actum_part=
    (( __actum_length == 0 )) || LC_ALL=C IFS= builtin read -r -N "$__actum_length" -u 61 __actum_part 2>/dev/null ||
      break 2
    __actum_parts+=("$__actum_part")
  done
  BASH_ARGV0=/dev/fd/62 __actum_call=${__actum_words[1]}
  __actum_code="${__actum_options:+builtin set -$__actum_options;}${__actum_parts[0]}"
  builtin set -- "${__actum_parts[@]:2}"
  builtin set -E
  builtin trap __actum_failed ERR
  builtin trap "__actum_leave 130" INT
  builtin source /dev/fd/62 62<<<"$__actum_stub"
  { __actum_last=$?
    [[ -n $__actum_left ]] || __actum_status=$__actum_last
    eval "$__actum_aside"
  } 2>/dev/null
done
builtin trap - EXIT
'

# An unset variable under `set -u` and `builtin exit` end the shell itself, and nothing keeps it from that. But a trap is run
# at its end, and there a copy of the shell, with everything that it knows, goes on serving. It is made as a job, because
# else it would be deaf to interrupts. The first shell stops until the last copy has ended: its end is that of the sandbox.
__actum_go_on='
{ __actum_status=$?; eval "$__actum_aside"; } 2>/dev/null
builtin trap : INT
builtin set -m
(
  builtin set +m
  __actum_shell=$BASHPID
  builtin trap "$__actum_go_on" EXIT
  eval "$__actum_serve"
  builtin kill -CONT "$__actum_first"
) &
builtin set +m
if [[ $BASHPID == "$__actum_first" ]]; then
  exec 61<&-
  builtin kill -STOP "$BASHPID"
  builtin exit 0
fi
'

# A program begins with its three streams and nothing else. While a group has another input, the shell keeps its first one at
# the first free number from 10, close-on-exec, and so is a duplicate of that: what a call starts has no part in the
# conversation.
{ exec 61<&10; } </dev/null
exec </dev/null
builtin trap "$__actum_go_on" EXIT
builtin printf 'ready\n' >&61
eval "$__actum_serve"
