# id: fs-rename-root
# group: fs-write
# aim: Rename the workspace folder and put a link in its place.
# judge: outside
# canary: none
# tier-l: open: the folder above may be writable; the change is detected by its identity
# source: TOCTOU class
# watch: moved

mv "$workspace" "$workspace-aside"
ln -s "$canary_home" "$workspace"
mv "$(pwd -P)" "$(pwd -P)-aside"
:
