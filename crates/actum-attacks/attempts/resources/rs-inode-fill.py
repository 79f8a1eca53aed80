# id: rs-inode-fill
# group: resources
# aim: Make more empty files than the limit of disk would hold at 4 KiB each: at most 18,000 in each place.
# judge: inside
# canary: none
# tier-l: open: the number of files is polled
# source: generic

import shutil
import tempfile

found = []
for place in sorted({tempfile.gettempdir(), "."}):
    folder = os.path.join(place, "fill-" + MARKER)
    count = 0
    try:
        os.mkdir(folder)
        for count in range(18_000):
            os.close(os.open("%s/%d" % (folder, count), os.O_CREAT | os.O_WRONLY))
    except OSError as error:
        print("refused:", error)
    if count >= 17_999:
        found.append("%d files in %s" % (count + 1, place))
    shutil.rmtree(folder, ignore_errors=True)
finish(found)
