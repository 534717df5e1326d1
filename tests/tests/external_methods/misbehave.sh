# A method that misbehaves, in the way that its argument says.
ready() {
    read -r hello
    echo '{"type":"ready","protocol":1}'
}
start() {
    ready
    read -r table
    read -r job
    echo '{"type":"started"}'
}
asked() {
    start
    read -r next
}
row() {
    printf '{"type":"row","iteration":1,"row":%s}\n' "$1"
}
case $1 in
never-ready) sleep 1000 ;;
another-protocol)
    read -r hello
    echo '{"type":"ready","protocol":2}'
    ;;
never-serves) ;;
no-start) ready && sleep 1000 ;;
garbage) asked && echo 'loading the data' && sleep 1000 ;;
no-such-row) asked && row 1000 && sleep 1000 ;;
negative) asked && row -1 && sleep 1000 ;;
not-a-number) asked && echo '{"type":"configuration","iteration":1,"values":[NaN,0.5]}' && sleep 1000 ;;
no-choice) asked && echo 'still thinking' >&2 && sleep 1000 ;;
exits) asked && echo 'I have had enough' >&2 && exit 3 ;;
is-killed) asked && kill -SEGV $$ ;;
closes-output) asked && exec >&- && sleep 1000 ;;
forks)
    asked
    # Out of the process group, out of the session, and its parent is gone.
    (setsid sh -c 'sleep 1000 & sleep 1000' &)
    exit 4
    ;;
eats-memory)
    asked
    awk 'BEGIN { s = "x"; while (1) s = s s }' 2>/dev/null
    echo "more than $(ulimit -d) KiB" >&2
    exit 5
    ;;
answers-twice)
    asked
    # Both at once.
    printf '%s\n' '{"type":"row","iteration":1,"row":0}' '{"type":"row","iteration":1,"row":1}'
    sleep 1000
    ;;
answers-in-megabytes) asked && head -c 4194304 /dev/zero | tr '\0' x && sleep 1000 ;;
reports) asked && echo '{"type":"error","message":"no idea","traceback":"line 7 of mine"}' && sleep 1000 ;;
floods-errors)
    asked
    head -c 1000000000 /dev/zero | tr '\0' x >&2
    row 0
    read -r end
    echo '{"type":"ended"}'
    sleep 1000
    ;;
leaves-a-process)
    asked
    (setsid sleep 1000 &)
    row 0
    read -r end
    echo '{"type":"ended"}'
    read -r next
    ;;
fails-at-the-end)
    asked
    row 0
    read -r end
    echo '{"type":"error","message":"cannot write my notes"}'
    sleep 1000
    ;;
ends-at-the-end)
    asked
    row 0
    read -r end
    exit 3
    ;;
never-reads)
    echo '{"type":"ready","protocol":1}'
    sleep 1000
    ;;
esac
