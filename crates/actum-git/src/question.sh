# What differs from a commit goes to stdout. On stderr stands something where anything at all differs: words that end with a NUL, and
# behind `?` the name of each file that is not known to git.
# Arguments: the work tree, the folder of its objects, the commit.
exec 3>&2 2>/dev/null

# Uses nothing of the repository but its objects, and believes none of them: no index (its flags and remembered times), no
# configuration, no attributes, no info/exclude, no replaced objects.
look() (
    cd -P -- "$1" && top=$(pwd -P) && own=$(mktemp -d) || exit 1
    mkdir "$own/objects" "$own/objects/info" "$own/refs" "$own/info" || exit 1
    printf '%s\n' "$3" >"$own/HEAD" && printf '%s\n' "$2" >"$own/objects/info/alternates" || exit 1
    # Before every .gitattributes: bytes are compared as they are.
    printf '* -text !eol !crlf !ident !filter !working-tree-encoding\n' >"$own/info/attributes" || exit 1
    case ${#3} in
    64) printf '[core]\nrepositoryformatversion = 1\n[extensions]\nobjectFormat = sha256\n' >"$own/config" ;;
    *) printf '[core]\nrepositoryformatversion = 0\n' >"$own/config" ;;
    esac
    GIT_DIR=$own GIT_WORK_TREE=$top GIT_INDEX_FILE=$own/index
    export GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE

    # git does not check that an object's bytes have its name. The commit is checked here. Nothing else has to be: the name of the
    # tree below is made from the names, modes and bytes of the work tree, and compared with the one that the commit has.
    git cat-file commit "$3" >"$own/commit" || exit 1
    [ "$(git hash-object -t commit --literally --stdin <"$own/commit")" = "$3" ] || exit 1
    read -r word tree <"$own/commit" && [ "$word" = tree ] && [ ${#tree} = ${#3} ] || exit 1

    git read-tree "$tree" && git ls-files --stage -z >"$own/entries" || exit 1
    # A folder that cannot be read is passed over with a warning: what is in it may be anything.
    git ls-files -z --others --exclude-per-directory=.gitignore >"$own/unknown" 2>"$own/warned" &
    untracked=$!
    git ls-files -z --others --ignored --directory --exclude-per-directory=.gitignore >"$own/ignored" || exit 1
    # One name per line; a line feed in a name becomes \001, and such a name counts as a difference where it matters.
    tr '\0\n' '\n\001' <"$own/entries" >"$own/lines" || exit 1
    strange=$(printf '\001')

    # A .gitignore that is not in the commit and ignores itself would hide what lies beside files of the commit. Tools put such
    # files into folders of their own (.venv, .pytest_cache), where the commit has nothing.
    tr '\0\n' '\n\001' <"$own/ignored" | grep -E '(^|/)\.gitignore$' >"$own/hiding"
    [ $? -le 1 ] || exit 1
    : >"$own/folders" || exit 1
    while IFS= read -r name; do
        case $name in
        *"$strange"*) printf 'strange\0' >&3 && continue ;;
        */*) folder=${name%/*} ;;
        *) folder=. ;;
        esac
        printf ':(literal)%s\0' "$folder" >>"$own/folders" || exit 1
    done <"$own/hiding"
    # All in one question: a project may have a thousand such folders.
    if [ -s "$own/folders" ]; then
        xargs -0 git ls-files -- <"$own/folders" >"$own/beside" || exit 1
        [ ! -s "$own/beside" ] || printf 'hidden\0' >&3
    fi

    # Submodules: the folder is empty, or a work tree with this commit.
    grep '^160000 ' "$own/lines" >"$own/links"
    [ $? -le 1 ] || exit 1
    : >"$own/kept" && : >"$own/below" || exit 1
    while IFS= read -r line; do
        name=${line#*"	"}
        case $name in *"$strange"*) printf 'strange\0' >&3 && continue ;; esac
        [ "$(cd -P -- "$top/$name" && pwd -P)" = "$top/$name" ] || continue
        printf '%s\0' "$line" >>"$own/kept" || exit 1
        content=$(ls -A -- "$top/$name" && echo end) || exit 1
        [ "$content" != end ] || continue
        [ -e "$top/$name/.git" ] || { echo unknown >>"$own/below" && continue; }
        commit=${line#160000 } && commit=${commit%% *}
        (
            unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
            objects=$(git -C "$top/$name" rev-parse --path-format=absolute --git-path objects) || exit 1
            look "$top/$name" "$objects" "$commit" 3>>"$own/below" </dev/null >/dev/null
        ) || exit 1
    done <"$own/links"

    # The tree that the work tree makes. What cannot be read is missing in it.
    (
        export GIT_INDEX_FILE="$own/second"
        git update-index -z --index-info <"$own/kept" || exit 1
        grep -v '^160000 ' "$own/lines" | cut -f2- | tr '\n\001' '\0\n' |
            git update-index -z --add --remove --info-only --stdin || exit 1
        git write-tree --missing-ok
    ) >"$own/tree"
    if [ "$(cat "$own/tree")" != "$tree" ] || [ -s "$own/below" ]; then
        printf 'differs\0' >&3
        git --no-pager diff --no-ext-diff --no-textconv --no-color --binary --full-index --ignore-submodules=none HEAD ||
            exit 1
    fi
    wait $untracked || exit 1
    [ ! -s "$own/unknown" ] || sed -z 's/^/?/' "$own/unknown" >&3
    [ ! -s "$own/warned" ] || printf 'unreadable\0' >&3
)
look "$1" "$2" "$3"
