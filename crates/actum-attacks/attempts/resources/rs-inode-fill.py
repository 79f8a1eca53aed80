# id: rs-inode-fill
# group: resources
# aim: Make more empty files than the limit of disk would hold at 4 KiB each: at most 20,000 in each place.
# judge: limit
# canary: none
# tier-l: open: the number of files is polled
# source: generic
# limit: disk

import shutil
import tempfile

found = []
for place in {tempfile.gettempdir(), "."}:
    folder = os.path.join(place, "fill-" + MARKER)
    count = 0
    try:
        os.mkdir(folder)
        for count in range(20_000):
            os.close(os.open("%s/%d" % (folder, count), os.O_CREAT | os.O_WRONLY))
    except OSError as error:
        print("refused:", error)
    if count >= 19_999:
        found.append("%d files in %s" % (count + 1, place))
    shutil.rmtree(folder, ignore_errors=True)
finish(found)
