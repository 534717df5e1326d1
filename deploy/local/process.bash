# shellcheck shell=bash
# Starting and stopping processes by id, for the scripts beside this file.
#
# A file NAME.pid holds "PID START": the process id, which is also the id of its
# process group, and the time of its start, so that a process that got the same
# id later is never taken for ours.

# start_time PID: when the process started; fails if there is none.
start_time() {
    local stat
    stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 1
    # The name in parentheses may hold spaces; what counts comes after it.
    # shellcheck disable=SC2086
    set -- ${stat##*) }
    # A zombie is no running process.
    [[ $1 != Z ]] && echo "${20}"
}

# is_running FILE: whether the process of that file runs.
is_running() {
    local pid start
    [[ -f $1 ]] || return 1
    read -r pid start <"$1" || return 1
    [[ $(start_time "$pid") == "$start" ]]
}

# start FILE LOG COMMAND...: runs a command in a process group of its own.
start() {
    local file=$1 log=$2
    shift 2
    # A session of its own, so that a signal to our terminal does not reach it.
    setsid "$@" </dev/null >>"$log" 2>&1 &
    local pid=$!
    echo "$pid $(start_time "$pid")" >"$file"
}

# stop FILE SIGNAL SECONDS: ends the group of that file, with SIGKILL if it takes too long.
stop() {
    local pid
    if is_running "$1"; then
        read -r pid _ <"$1"
        kill "-$2" -- "-$pid" 2>/dev/null || true
        local deadline=$((SECONDS + $3))
        while is_running "$1" && ((SECONDS < deadline)); do
            sleep 0.1
        done
        kill -KILL -- "-$pid" 2>/dev/null || true
    fi
    rm -f "$1"
}

# is_listening PORT: whether something on this host accepts connections there.
is_listening() {
    (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}

# port_of DIRECTORY NAME: the port kept in that file; a free one is chosen at first.
port_of() {
    local file=$1/$2 port
    if [[ ! -s $file ]]; then
        # Below the range from which the kernel takes ports for clients.
        until port=$((20000 + RANDOM % 12000)) && ! is_listening "$port"; do :; done
        echo "$port" >"$file"
    fi
    cat "$file"
}

# await FILE LOG PORT SECONDS: waits until the server of that file listens.
await() {
    local deadline=$((SECONDS + $4))
    until is_listening "$3"; do
        if ! is_running "$1" || ((SECONDS >= deadline)); then
            echo "$(basename "$1" .pid) did not start; the end of $2:" >&2
            tail -n 20 "$2" >&2
            return 1
        fi
        sleep 0.1
    done
}
