# Writes a commit into the folder where this starts, then applies a patch to it.
# Arguments: the folder of objects, the commit, the patch or nothing.
# Bytes are written as the commit has them: no attributes, no filters, no configuration, no hooks.
own=$(mktemp -d) && mkdir "$own/objects" "$own/objects/info" "$own/refs" "$own/info" || exit 1
printf '%s\n' "$2" >"$own/HEAD" && printf '%s\n' "$1" >"$own/objects/info/alternates" || exit 1
printf '* -text !eol !crlf !ident !filter !working-tree-encoding\n' >"$own/info/attributes" || exit 1
case ${#2} in
64) printf '[core]\nrepositoryformatversion = 1\n[extensions]\nobjectFormat = sha256\n' >"$own/config" ;;
*) printf '[core]\nrepositoryformatversion = 0\n' >"$own/config" ;;
esac
GIT_DIR=$own GIT_WORK_TREE=$(pwd -P) GIT_INDEX_FILE=$own/index
export GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
git cat-file -e "$2^{commit}" || exit 3
git read-tree "$2" && git checkout-index --all --force --quiet || exit 4
[ -z "$3" ] || git apply --binary --whitespace=nowarn "$3" || exit 5
