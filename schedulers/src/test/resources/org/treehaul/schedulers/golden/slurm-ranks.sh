#!/bin/bash
#SBATCH --job-name=th-abcd-worker
#SBATCH --output=log/%x-%j.out
#SBATCH --open-mode=append
#SBATCH --signal=B:USR1@120
#SBATCH --nodes=8
#SBATCH --ntasks-per-node=1
# TreeHaul: transfer 20261121-120000-abcd, generation 1, worker. Paths and commands are in launch/.
# shellcheck disable=SC1091,SC2317
say() { printf 'treehaul: %s\n' "$*" >&2; }
directory=$SLURM_SUBMIT_DIR
unset "${!SLURM_ARRAY_@}"
index=$SLURM_PROCID meet=$1
if ! cd -P -- "$directory" 2> /dev/null || [[ ! -r launch/jar ]]; then
    say "$HOSTNAME cannot see the directory of transfer 20261121-120000-abcd ($directory): all nodes must share it"
    exit 2
fi
# trust FILE MASK: FILE must be our own, have no bit of MASK, and be replaceable only by root and us.
trust() {
    local path=$1 mask=$2 at=$1 i uid mode
    local -a ways=() status
    while [[ -n $at ]]; do
        at=${at%/*}
        ways=("${at:-/}" "${ways[@]}")
    done
    mapfile -t status < <(command -p stat -c '%u %f' -- "${ways[@]}" "$path" 2> /dev/null)
    ((${#status[@]})) \
        || mapfile -t status < <(stat -c '%u %f' -- "${ways[@]}" "$path" 2> /dev/null)
    if ((${#status[@]} <= ${#ways[@]})); then
        say "$HOSTNAME cannot see $path, which this job needs: all nodes must share it"
        exit 2
    fi
    for i in "${!status[@]}"; do
        uid=${status[i]% *} mode=$((16#${status[i]#* }))
        if ((i < ${#ways[@]})); then
            ((uid == 0 || uid == EUID)) || refuse "${ways[i]}" "belongs to user $uid" "$path"
            ((mode & 022 && ! (mode & 01000))) && refuse "${ways[i]}" "is writable by others" "$path"
        else
            ((uid == EUID || uid == 0 && mask == 022)) || refuse "$path" "belongs to user $uid" "$path"
            # 0120000 is the mode of a symbolic link.
            (((mode & 0170000) == 0120000)) && refuse "$path" "is a symbolic link" "$path"
            ! ((mode & mask)) || refuse "$path" "is open to others" "$path"
        fi
    done
}
refuse() {
    say "$1 $2 (on $HOSTNAME), so $3 is not trusted and nothing is started: other users could run their programs as you." \
        "Remove their access (chmod go-w) or use another state directory (--state-dir), and copy again"
    exit 2
}
directory=$PWD
trust "$directory" 077
cd -- "$directory" || exit 2
mapfile -t jars < launch/jar
[[ ! -e launch/jars ]] || mapfile -t -O 1 jars < launch/jars
for i in "${!jars[@]}"; do
    jar=${jars[i]}
    cd -P -- "${jar%/*}/" 2> /dev/null && jars[i]=${PWD%/}/${jar##*/}
    cd -- "$directory" || exit 2
    trust "${jars[i]}" 022
    # A class path cannot express a colon in the name of a directory.
    [[ ${jars[i]} != *:* ]] || { exec {at}< "${jars[i]%/*}" && jars[i]=/proc/self/fd/$at/${jars[i]##*/}; }
done
classpath=$(IFS=:; printf '%s' "${jars[*]}")
export LC_ALL=C.UTF-8 2> /dev/null
find_java() {
    mapfile -t paths < <(cat launch/java 2> /dev/null; printf '%s\n' "$JAVA_HOME/bin/java"; type -aP java)
    for java in "${paths[@]}" /usr/lib/jvm/*/bin/java /usr/java/*/bin/java /opt/*/bin/java \
        /opt/java/*/bin/java "$HOME"/.sdkman/candidates/java/*/bin/java; do
        [[ -x $java && ! -d $java ]] || continue
        # The file saves the start of a JVM.
        { version=$(< "${java%/bin/java}/release"); } 2> /dev/null || version=$("$java" -version 2>&1 < /dev/null)
        [[ $version =~ (version\ |JAVA_VERSION=)\"([0-9]+) ]] && ((BASH_REMATCH[2] >= 25)) && return
    done
    say "$HOSTNAME has no Java 25 or newer in launch/java, JAVA_HOME, PATH, /usr/lib/jvm, /usr/java," \
        "/opt or ~/.sdkman. Install one there, or write its path into $PWD/launch/java"
    exit 2
}
with_cache() { # FILE ARGUMENT... of Java
    main=(-XX:+UnlockDiagnosticVMOptions -XX:ArchiveRelocationMode=0 "-XX:AOTCache=$1"
        -Xlog:disable '-Xlog:all=warning,aot*=off,cds*=off:stderr' "${@:2}")
}
signals=0 seen=0
on_signal() {
    signals=$((signals + 1))
    why=$1
    [[ -z $child ]] || kill -TERM "$child" 2> /dev/null
}
trap 'on_signal TERM' TERM INT
trap 'on_signal USR1' USR1
run() {
    "$@" < /dev/null &
    child=$!
    ((signals == seen)) || kill -TERM "$child" 2> /dev/null
    await
}
await() {
    local before last=
    while :; do # a signal ends wait, not the child
        before=$signals
        wait "$child"
        code=$?
        # Bash may report a signal twice, the second time after its trap. So a code above 128 is that of
        # the child only if wait returns it again.
        if ((signals != before)); then
            last=
        elif ((code <= 128)) || [[ $code == "$last" ]]; then
            break
        else
            last=$code
        fi
    done
    child=
}
if [[ -z $meet ]]; then
    on_signal() {
        signals=$((signals + 1)) why=$1
        kill -USR1 "$child" 2> /dev/null # at TERM srun would kill the ranks
    }
    run srun --quiet --nodes=8 --ntasks=8 --ntasks-per-node=1 --cpu-bind=none --mpi=none \
        --kill-on-bad-exit=0 --wait=0 --label bash "$PWD/launch/1-worker-1.sh" "$SLURM_JOB_ID.${SLURM_RESTART_COUNT:-0}"
    result=$code
    exit "$result"
fi
start() {
    # Run in this shell, so that modules that it loads are available to Java; it may call exit.
    trap 'say "not started: launch/pre returned $?"; exit 2' EXIT
    [[ ! -e launch/pre ]] || . launch/pre
    ((code = $?)) && exit "$code"
    trap - EXIT ERR
    set +eufx +o pipefail +o posix
    shopt -u failglob
    IFS=$' \t\n'
    cd -- "$directory" || exit 2
    { read -r mask < launch/umask; } 2> /dev/null && umask "$mask"
    find_java
    flags=()
    { mapfile -t flags < launch/flags; } 2> /dev/null
    # The JVM rejects two collectors: that of the user replaces ours.
    [[ "$JDK_JAVA_OPTIONS $JAVA_TOOL_OPTIONS" != *-XX:+Use*GC* ]] \
        || flags=("${flags[@]/#-XX:+UseSerialGC/-XX:-UsePerfData}")
    main=(--enable-native-access=ALL-UNNAMED -cp "$classpath" org.treehaul.cli.Main)
    # The cache of classes beside the jar. A JVM of another build ignores it, and rejects two.
    cache=
    [[ ! $version =~ JAVA_VERSION=\"([^\"/]+) ]] || cache=${jars[0]%/*}/treehaul-${BASH_REMATCH[1]}.aot
    if [[ -s $cache && $cache != /proc/* && ! "$JDK_JAVA_OPTIONS $JAVA_TOOL_OPTIONS" =~ -XX:AOT|-XX:Shared|-Xshare ]]; then
        trust "$cache" 022
        with_cache "$cache" "${main[@]}"
    fi
    # The Java of an installation contains TreeHaul, and hides the jar of another version.
    installed=${java%/runtime/bin/java}
    if [[ $installed != "$java" && -r $installed/treehaul.aot ]]; then
        if [[ -r launch/installed && $(< launch/installed) == "$(< "$installed/SHA256SUMS")" ]]; then
            with_cache "$installed/treehaul.aot" --enable-native-access=org.treehaul \
                -cp "$(IFS=:; printf '%s' "${jars[*]:1}")" -m org.treehaul/org.treehaul.cli.Main
        else
            main=("--limit-modules=java.management,java.sql,jdk.unsupported" "${main[@]}")
        fi
    fi
    exec "$java" "${flags[@]}" "${main[@]}" worker --generation 1 --ranks 8 --distribution hybrid --transport mpj --meet "launch/meet-$meet" --rank "$index"
}
code=0
run start
((signals == 0 || code != 143)) || code=20 # stopped before it could report that itself
((signals == 0)) || say "stopped by signal $why, exit code $code"
result=$code seen=$signals
[[ ! -e launch/post ]] || TREEHAUL_CODE=$result run bash launch/post
exit "$result"
