#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#PBS -j oe
#PBS -l select=1
# What pbs_tmrsh does with a command, for a real OpenPBS and for the emulator. The outputs of commands go to that of the job,
# whatever those of pbs_tmrsh are.
host=$(head -n 1 "$PBS_NODEFILE")
cd /usr || exit
export EXPORTED=1
echo given | pbs_tmrsh "$host" /bin/sh -c 'echo "input: $(cat)"; echo "exported: $EXPORTED"; umask; [ "$(pwd)" = /usr ] || echo elsewhere; exit 7' > /dev/null 2>&1
echo "code ${PIPESTATUS[1]}"
pbs_tmrsh -n "$host" -l "$(id -un)" /bin/sh -c '[ -c /dev/stdin ] && echo "node $PBS_NODENUM, ${PBS_JOBID:+with a job}"' > /dev/null 2>&1
pbs_tmrsh "$host" /bin/sh -c 'kill -9 $$'
echo "killed: $?"
pbs_tmrsh "$host" /no/such/program > /dev/null 2>&1
echo "absent: $?"
pbs_tmrsh no.such.host true 2>&1 | sed 's/<[^>]*>/<JOB>/; s/^[^ ]*pbs_tmrsh:/pbs_tmrsh:/'
pbs_tmrsh "$host" /bin/sh -c 'sleep 4; echo survived' &
sleep 2
{ kill -9 $!; wait $!; } 2> /dev/null # The shell may say that it was killed before it waits.
sleep 4
echo waited
# Ended with the job.
pbs_tmrsh "$host" /bin/sh -c 'sleep 86399; echo never' &
sleep 2
{ kill -9 $!; wait $!; } 2> /dev/null # The shell may say that it was killed before it waits.
