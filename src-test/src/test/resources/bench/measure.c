// SPDX-License-Identifier: Apache-2.0
//
// measure RESULT COMMAND...: runs the command with nothing to read and its results thrown away, and writes into RESULT
// "wall user sys rss": seconds, seconds, seconds, peak KiB of the largest process. Ends with the command's exit code.
// The wall-clock time is that of the command; the others include the processes that it left behind, for whose ends this waits.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(struct timeval time) {
    return (double) time.tv_sec + (double) time.tv_usec / 1e6;
}

int main(int count, char **arguments) {
    if (count < 3) {
        return 127;
    }
    struct timespec begin, end;
    // Processes that outlive their parents, such as jobs, become children of this one: see PR_SET_CHILD_SUBREAPER(2const).
    if (prctl(PR_SET_CHILD_SUBREAPER, 1L) != 0) {
        perror("measure");
        return 127;
    }
    clock_gettime(CLOCK_MONOTONIC, &begin);
    // A child keeps the peak of what it was forked from, so this program must stay small.
    pid_t child = fork();
    if (child == 0) {
        int null = open("/dev/null", O_RDWR);
        dup2(null, 0);
        dup2(null, 1);
        close(null);
        execvp(arguments[2], arguments + 2);
        perror(arguments[2]);
        _exit(127);
    }
    int status;
    if (child < 0 || waitpid(child, &status, 0) != child) {
        perror("measure");
        return 127;
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    struct rusage used;
    while (wait(NULL) > 0 || errno == EINTR) {
    }
    if (getrusage(RUSAGE_CHILDREN, &used) != 0) {
        perror("measure");
        return 127;
    }
    FILE *result = fopen(arguments[1], "w");
    if (result == NULL) {
        perror(arguments[1]);
        return 127;
    }
    fprintf(result, "%.6f %.6f %.6f %ld\n",
            (double) (end.tv_sec - begin.tv_sec) + (double) (end.tv_nsec - begin.tv_nsec) / 1e9, seconds(used.ru_utime),
            seconds(used.ru_stime), used.ru_maxrss);
    if (fclose(result) != 0) {
        perror(arguments[1]);
        return 127;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
