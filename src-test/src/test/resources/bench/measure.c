// SPDX-License-Identifier: Apache-2.0
//
// measure RESULT COMMAND...: runs the command with nothing to read and its results thrown away, and writes into RESULT
// "wall user sys rss": seconds, seconds, seconds, peak KiB of the largest process. Ends with the command's exit code.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
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
    struct rusage used;
    if (child < 0 || wait4(child, &status, 0, &used) != child) {
        perror("measure");
        return 127;
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
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
