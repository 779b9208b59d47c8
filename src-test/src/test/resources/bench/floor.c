// SPDX-License-Identifier: Apache-2.0
//
// The floor: the system calls that a walk, a copy or a removal cannot do without, in two threads, and nothing else. No
// options, no metadata of directories, no links or special files in a copy; an error ends it.
//
//   floor walk  DIR          openat, getdents64, statx of each entry, close
//   floor names DIR          the same without statx
//   floor copy  DIR TARGET   openat, fstat, openat O_EXCL, read and write, futimens, close, close
//   floor rm    DIR          openat, getdents64, unlinkat of each entry, close
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { THREADS = 2, BUFFER = 256 * 1024 };

// A directory that waits to be read.
struct work {
    struct work *next;
    struct directory *parent;
    char name[];
};

// An open directory, and its copy; closed when the last of its subdirectories has been opened, or removed.
struct directory {
    int source;
    int target;
    int users;
    struct work *itself;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct work *stack;
static long pending;
static char mode;
static long entries;

static void fail(const char *call, const char *name) {
    fprintf(stderr, "floor: %s %s: %s\n", call, name, strerror(errno));
    exit(1);
}

static void push(struct work *first, struct work *last, long number) {
    pthread_mutex_lock(&lock);
    last->next = stack;
    stack = first;
    pending += number;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static struct work *pop(void) {
    pthread_mutex_lock(&lock);
    while (stack == NULL && pending > 0) {
        pthread_cond_wait(&changed, &lock);
    }
    struct work *work = stack;
    if (work != NULL) {
        stack = work->next;
    }
    pthread_mutex_unlock(&lock);
    return work;
}

static void done(void) {
    pthread_mutex_lock(&lock);
    if (--pending == 0) {
        pthread_cond_broadcast(&changed);
    }
    pthread_mutex_unlock(&lock);
}

static void remove_name(struct directory *parent, const char *name, int flags) {
    if (unlinkat(parent == NULL ? AT_FDCWD : parent->source, name, flags) != 0) {
        fail("remove", name);
    }
}

// A removed directory releases the one above it.
static void release(struct directory *directory) {
    while (directory != NULL && __atomic_sub_fetch(&directory->users, 1, __ATOMIC_ACQ_REL) == 0) {
        struct directory *above = NULL;
        close(directory->source);
        if (mode == 'c') {
            close(directory->target);
        } else if (mode == 'r') {
            above = directory->itself->parent;
            remove_name(above, directory->itself->name, AT_REMOVEDIR);
        }
        free(directory->itself);
        free(directory);
        directory = above;
    }
}

static void copy(struct directory *in, const char *name, char *buffer) {
    int from = openat(in->source, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    struct stat status;
    if (from < 0 || fstat(from, &status) != 0) {
        fail("open", name);
    }
    int to = openat(in->target, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, status.st_mode & 0777);
    if (to < 0) {
        fail("create", name);
    }
    for (off_t left = status.st_size; left > 0;) {
        ssize_t got = read(from, buffer, BUFFER);
        if (got <= 0) {
            fail("read", name);
        }
        if (write(to, buffer, (size_t) got) != got) {
            fail("write", name);
        }
        left -= got;
    }
    struct timespec times[2] = {status.st_atim, status.st_mtim};
    if (futimens(to, times) != 0 || close(to) != 0 || close(from) != 0) {
        fail("finish", name);
    }
}

static void list(struct work *work, char *records, char *data) {
    struct directory *parent = work->parent;
    struct directory *self = malloc(sizeof *self);
    self->users = 1;
    self->itself = work;
    self->target = -1;
    self->source = openat(parent == NULL ? AT_FDCWD : parent->source, work->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (self->source < 0) {
        fail("open", work->name);
    }
    if (mode == 'c' && parent != NULL) {
        if (mkdirat(parent->target, work->name, 0755) != 0) {
            fail("mkdir", work->name);
        }
        self->target = openat(parent->target, work->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    } else if (mode == 'c') {
        // The root: the target stands behind the NUL of the source.
        const char *target = work->name + strlen(work->name) + 1;
        mkdir(target, 0755);
        self->target = open(target, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    }
    struct work *first = NULL, *last = NULL;
    long number = 0, seen = 0, length;
    while ((length = syscall(SYS_getdents64, self->source, records, BUFFER)) > 0) {
        for (long at = 0; at < length;) {
            struct dirent64 *entry = (struct dirent64 *) (records + at);
            at += entry->d_reclen;
            if (entry->d_name[0] == '.' && (entry->d_name[1] == 0 || (entry->d_name[1] == '.' && entry->d_name[2] == 0))) {
                continue;
            }
            seen++;
            if (mode == 'w') {
                struct statx status;
                if (statx(self->source, entry->d_name, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, &status) != 0) {
                    fail("statx", entry->d_name);
                }
            }
            if (entry->d_type == DT_DIR) {
                size_t size = strlen(entry->d_name) + 1;
                struct work *more = malloc(sizeof *more + size);
                memcpy(more->name, entry->d_name, size);
                more->parent = self;
                more->next = first;
                first = more;
                last = last == NULL ? more : last;
                number++;
            } else if (entry->d_type == DT_UNKNOWN) {
                errno = EOPNOTSUPP;
                fail("listing without types", entry->d_name);
            } else if (mode == 'c' && entry->d_type == DT_REG) {
                copy(self, entry->d_name, data);
            } else if (mode == 'r') {
                remove_name(self, entry->d_name, 0);
            }
        }
    }
    if (length < 0) {
        fail("list", work->name);
    }
    __atomic_add_fetch(&entries, seen, __ATOMIC_RELAXED);
    if (number > 0) {
        __atomic_add_fetch(&self->users, (int) number, __ATOMIC_ACQ_REL);
        push(first, last, number);
    }
    release(self);
    if (mode != 'r') {
        release(parent);
    }
    done();
}

static void *run(void *unused) {
    char *records = malloc(BUFFER), *data = malloc(BUFFER);
    for (struct work *work; (work = pop()) != NULL;) {
        list(work, records, data);
    }
    free(records);
    free(data);
    return unused;
}

int main(int count, char **arguments) {
    if (count < 3 || (arguments[1][0] == 'c' && count < 4)) {
        return 2;
    }
    // The directories above those that wait stay open.
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    umask(0);

    mode = arguments[1][0];
    size_t size = strlen(arguments[2]) + 1, rest = mode == 'c' ? strlen(arguments[3]) + 1 : 0;
    struct work *root = malloc(sizeof *root + size + rest);
    root->parent = NULL;
    memcpy(root->name, arguments[2], size);
    memcpy(root->name + size, mode == 'c' ? arguments[3] : "", rest);
    push(root, root, 1);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, run, NULL);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    printf("%ld\n", entries);
    return 0;
}
