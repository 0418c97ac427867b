/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Threads in place of processes, for ThreadSanitizer: it sees one process only, and one address of a
 * line. So the workers (protocols/calibration/workers.h) are started as threads; a segment that is mapped again is at the
 * address where it is already; and who asks for the number of its process gets that of its thread,
 * which the system lists, and whose end it shows, in the same way.
 *
 * Linked with --wrap for getpid, mmap and munmap, before the library, whose workers.c then is not taken.
 */
#define _GNU_SOURCE
#include "protocols/calibration/workers.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__real_mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset);
int __real_munmap(void *address, size_t size);
void *__wrap_mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset);
int __wrap_munmap(void *address, size_t size);
pid_t __wrap_getpid(void);

pid_t __wrap_getpid(void)
{
    return (pid_t)syscall(SYS_gettid);
}

/* ---- segments */

enum { SEGMENTS = 256 };

static struct segment {
    void *memory; /* NULL: free */
    size_t size;
    dev_t device;
    ino_t file;
    unsigned users;
} segments[SEGMENTS];
static pthread_mutex_t segments_lock = PTHREAD_MUTEX_INITIALIZER;

void *__wrap_mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
    struct stat file;
    if (fd < 0 || (flags & MAP_SHARED) == 0 || fstat(fd, &file) != 0 || !S_ISREG(file.st_mode))
        return __real_mmap(address, size, protection, flags, fd, offset);
    void *memory = MAP_FAILED;
    struct segment *place = NULL;
    pthread_mutex_lock(&segments_lock);
    for (int i = 0; i < SEGMENTS; i++) {
        struct segment *s = &segments[i];
        if (s->memory == NULL)
            place = place != NULL ? place : s;
        else if (s->device == file.st_dev && s->file == file.st_ino && s->size >= size) {
            s->users++;
            memory = s->memory;
        }
    }
    if (memory == MAP_FAILED && place != NULL) {
        memory = __real_mmap(address, size, protection, flags, fd, offset);
        if (memory != MAP_FAILED)
            *place = (struct segment){memory, size, file.st_dev, file.st_ino, 1};
    }
    pthread_mutex_unlock(&segments_lock);
    return memory;
}

int __wrap_munmap(void *address, size_t size)
{
    bool used = false;
    pthread_mutex_lock(&segments_lock);
    for (int i = 0; i < SEGMENTS; i++)
        if (segments[i].memory == address && address != NULL) {
            used = --segments[i].users > 0;
            if (!used)
                segments[i].memory = NULL;
        }
    const int status = used ? 0 : __real_munmap(address, size);
    pthread_mutex_unlock(&segments_lock);
    return status;
}

/* ---- the workers */

typedef struct thread {
    pthread_t id;
    unsigned rank;
    void (*work)(unsigned rank, void *context);
    void *context;
} thread;

static thread threads[64];

static void *run(void *argument)
{
    const thread *t = argument;
    t->work(t->rank, t->context);
    return NULL;
}

bool clump_workers_start(clump_workers *workers, int end_signal,
                         void (*work)(unsigned rank, void *context), void *context,
                         char message[CLUMP_CALIBRATION_MESSAGE_BYTES])
{
    (void)end_signal;
    workers->left = 0;
    for (unsigned i = 0; i < workers->count; i++) {
        threads[i] = (thread){.rank = i, .work = work, .context = context};
        const int error = pthread_create(&threads[i].id, NULL, run, &threads[i]);
        if (error != 0) {
            snprintf(message, CLUMP_CALIBRATION_MESSAGE_BYTES, "cannot start a thread: %s",
                     strerror(error));
            return false;
        }
        workers->left++;
    }
    return true;
}

bool clump_workers_look(clump_workers *workers, unsigned *rank,
                        char message[CLUMP_CALIBRATION_MESSAGE_BYTES])
{
    (void)rank, (void)message; /* one that fails ends the process */
    for (unsigned i = 0; i < workers->count; i++)
        pthread_join(threads[i].id, NULL);
    workers->left = 0;
    return true;
}

void clump_workers_end(clump_workers *workers)
{
    workers->left = 0;
}
