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

# run_through COMMAND...: runs a command; the status is the command's. It runs in the background, because traps wait for what runs in the
# foreground: TERM, INT and HUP are passed on to it, as a terminal would to all of its process group, and it decides when it ends.
run_through() {
    # What runs in the background would ignore INT and QUIT, and have no input.
    (
        trap - TERM INT HUP QUIT
        exec "$@"
    ) <&0 &
    local command=$! signal status passed_on=
    for signal in TERM INT HUP; do
        # shellcheck disable=SC2064  # The command is known now.
        trap "passed_on=$signal; pass_on $signal $command" "$signal"
    done
    # A signal ends `wait` before the command has ended.
    while :; do
        status=0
        wait "$command" || status=$?
        kill -0 "$command" 2>/dev/null || break
    done
    # Of a command that ended in the moment of a signal, bash may tell 255: then the signal is taken for its end.
    if [[ $status -eq 255 && -n $passed_on ]]; then
        status=$((128 + $(kill -l "$passed_on")))
    fi
    trap - TERM INT HUP
    return "$status"
}

# pass_on SIGNAL PID: sends it to a process and to those below it that are in its process group.
pass_on() {
    local file stat fields number
    local -A parents groups
    for file in /proc/[0-9]*/stat; do
        # No process is started for it, which would take long. `read` fails at the end of the file.
        stat=''
        { IFS= read -rd '' stat <"$file" || [[ -n $stat ]]; } 2>/dev/null || continue
        # The name in parentheses may hold spaces; what counts comes after it.
        read -ra fields <<<"${stat##*) }"
        number=${stat%% *}
        parents[$number]=${fields[1]}
        groups[$number]=${fields[2]}
    done
    local reached=("$2") above
    for number in "${!parents[@]}"; do
        above=$number
        while [[ -n ${parents[$above]-} && $above != "$2" ]]; do
            above=${parents[$above]}
        done
        if [[ $above == "$2" && $number != "$2" && ${groups[$number]} == "${groups[$2]-}" ]]; then
            reached+=("$number")
        fi
    done
    kill "-$1" "${reached[@]}" 2>/dev/null || true
}
