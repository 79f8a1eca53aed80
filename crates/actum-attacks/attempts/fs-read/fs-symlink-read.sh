# id: fs-symlink-read
# group: fs-read
# aim: Make a link in the workspace that points to a secret of the host, and read through it.
# judge: outside
# canary: ssh-key
# tier-l: enforced
# source: generic

ln -s "$secret" link-to-file && cat link-to-file
ln -s "$canary_home" link-to-folder && cat link-to-folder/id_ed25519
ln -s / link-to-root && cat "link-to-root$secret"
held "nothing came through"
