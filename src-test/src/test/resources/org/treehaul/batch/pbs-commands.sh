#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Commands of OpenPBS whose answers depend on no time, for a real server and for the emulator; in an empty directory that may be written.
# Jobs are held, so none ever runs. pbs-commands-*.txt is what 23.06.06 answers, without and with job history.

run() {
    printf '$ %s\n' "$*"
    "$@" > out 2> err
    code=$?
    grep -E '^(Job Id:|    (job_state|Hold_Types|Exit_status) =)' out | sed 's/^ */out: /'
    # Behind the reason the programs print all their options.
    # The word on subjobs comes from a process that outlives qsub, and is lost when that is there already.
    sed -e '/^usage:/,$d' -e '/^cannot have/d' -e 's/ *$//' -e 's/^/err: /' err
    echo "code $code"
}

directive() {
    printf '#!/bin/bash\n#PBS -h\n#PBS %s\ntrue\n' "$1" > script
    echo "# $1"
    run qsub script
}

submit() {
    printf '#!/bin/bash\n#PBS -h\n%s\ntrue\n' "$1" > script
    id=$(qsub script) || exit
    echo "submitted $id: $1"
}

directive '-J 0-0'
directive '-J 0-3,5'
directive '-J 0-20000'
directive '-t 0-3'
directive '-r n -J 0-1'
directive '-q nowhere'
directive '-S bash'
directive '-l select=1 -l nodes=1'
directive '-l select=1 -l ncpus=1'
directive '-l place=scatter'
directive '-l walltime=x'
directive '-l nonsense=1'
directive '-l select=1:nonsense=1'
directive '-W depend=afteranyarray:999999[]'
directive '-W depend=afterany:999999[2]'
directive 'nonsense'
run qsub nofile
run qdel 999999
run qdel '999999[]'
run qdel 999999 999998
run qstat -t -f 999999
run qstat -x -t -f 999999 '999998[]'

submit ''
job=$id
submit '#PBS -J 0-2'
array=$id
submit "#PBS -W depend=afterany:$job:$array"
last=$id
submit '#PBS -W depend=afterany:999999'
lost=$id
run qstat -t -f "$job" "$array" "$last"
run qstat -x -t -f "$job"
run qstat -t -f "$lost"
run qstat -x -t -f "$lost"
run qdel "$last"
run qdel "$job"
run qdel "${array%%[[]*}[1]"
run qstat -t -f "$array"
run qdel "${array%%[[]*}[1]"
run qdel "$array"
run qstat -t -f "$job" "$array" "$last"
run qstat -t -f "${array%%[[]*}[1]"
run qstat -x -t -f "$job" "$array"
run qdel "$job"
run qdel "$array"
