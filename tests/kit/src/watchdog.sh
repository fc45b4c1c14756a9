# Outlives the test process and cleans up after it.
#   $1 directory to remove ("" to keep it)
#   stdin: the id of the process group to end, then nothing; its end means that the test process is gone or done.
trap '' INT TERM HUP QUIT
group=
read -r group
while read -r _; do :; done
if [ -n "$group" ]; then
    kill -s KILL -- "-$group" 2>/dev/null
    # Until the last of them is gone one may still be creating a file.
    tries=0
    while kill -s 0 -- "-$group" 2>/dev/null && [ "$tries" -lt 100 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
fi
[ -z "$1" ] || rm -rf -- "$1"
