/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/queue/segment.h"
#include "protocols/queue/process.h"
#include "protocols/queue/queue.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PATH_BYTES = CLUMP_NAME_BYTES + 8, UNFINISHED_SECONDS = 60 };
/* UNFINISHED_SECONDS: after that time a segment that does not say whose it is, is a leftover. Who makes one says so
 * next; but on a busy machine a process may wait for seconds between two steps. */

bool clump_segment_name_is_good(const char *name)
{
    if (name == NULL)
        return false;
    for (int i = 0; i < CLUMP_NAME_BYTES; i++) {
        char c = name[i];
        if (c == '\0')
            return i > 0;
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              c == '.' || c == '_' || c == '-'))
            return false;
    }
    return false;
}

static bool power_of_two(uint32_t n, uint32_t least, uint32_t most)
{
    return n >= least && n <= most && (n & (n - 1)) == 0;
}

size_t clump_block_bytes(uint32_t length, uint32_t bulk_length)
{
    if (!power_of_two(length, 2, 1u << 20) || !power_of_two(bulk_length, 1, 1u << 16))
        return 0;
    return sizeof(struct clump_block_header) + CLUMP_SENDERS * sizeof(struct clump_sender_place) +
           2 * clump_queue_bytes(length, bulk_length);
}

static void path_of(const char *name, char *path)
{
    snprintf(path, PATH_BYTES, "/clump-%s", name);
}

static clump_protocol_status system_error(char *message, const char *what, const char *name)
{
    int error = errno;
    snprintf(message, CLUMP_MESSAGE_BYTES, "%s shared memory /clump-%s: %s", what, name,
             strerror(error));
    return CLUMP_PROTOCOL_FAILED;
}

/** The owner in an open segment; 0 if it is closed; false if the segment is not complete. */
static bool read_owner(int fd, uint64_t *owner, uint64_t *space)
{
    struct clump_block_header header;
    if (pread(fd, &header, sizeof header, 0) != (ssize_t)sizeof header)
        return false;
    *owner = header.owner;
    *space = header.space;
    return header.magic == CLUMP_BLOCK_MAGIC;
}

/** Whether the open segment is a leftover: its owner is dead, or it was never completed. */
static bool is_stale(int fd)
{
    uint64_t owner = 0, space = 0;
    const bool complete = read_owner(fd, &owner, &space);
    if (owner != 0) /* whether a process of another container lives cannot be seen from here */
        return space == clump_process_space() && !clump_process_alive(owner);
    if (complete)
        return true;
    struct stat status;
    return fstat(fd, &status) == 0 && time(NULL) - status.st_mtime > UNFINISHED_SECONDS;
}

bool clump_segment_remove_stale(const char *name)
{
    char path[PATH_BYTES];
    path_of(name, path);
    int fd = shm_open(path, O_RDWR, 0);
    if (fd < 0)
        return false;
    /* Two who want to remove it must not remove what the first one created in its place: whoever
     * holds the lock on the old segment checks that the name still stands for it. */
    bool removed = false;
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    struct stat old, now;
    if (is_stale(fd) && fcntl(fd, F_SETLK, &lock) == 0 && fstat(fd, &old) == 0) {
        int again = shm_open(path, O_RDONLY, 0);
        if (again >= 0) {
            if (fstat(again, &now) == 0 && now.st_ino == old.st_ino && now.st_dev == old.st_dev)
                removed = shm_unlink(path) == 0;
            close(again); /* this gives up the lock, too */
        }
    }
    close(fd);
    return removed;
}

/* Why a name is taken, after a look at whose it is. `error`: why it could not be opened, where `fd` is below 0. */
static clump_protocol_status in_use(const char *name, int fd, int error, char *message)
{
    uint64_t owner = 0, space = 0;
    char whose[40] = "another user";
    struct stat status;
    bool foreign = fd < 0 && error == EACCES;
    if (fd >= 0) {
        read_owner(fd, &owner, &space);
        foreign = fstat(fd, &status) == 0 && status.st_uid != geteuid();
        if (foreign)
            snprintf(whose, sizeof whose, "user %ld", (long)status.st_uid);
    }
    if (foreign)
        snprintf(message, CLUMP_MESSAGE_BYTES,
                 "endpoint %s exists already, as shared memory of %s: choose another name", name,
                 whose);
    else
        snprintf(message, CLUMP_MESSAGE_BYTES,
                 owner != 0 ? "endpoint %s exists already, in process %ld: choose another name or "
                              "end that process"
                            : "endpoint %s exists already and is being made: choose another name, "
                              "or try again in %ld seconds",
                 name, owner != 0 ? clump_process_number(owner) : (long)UNFINISHED_SECONDS + 1);
    return CLUMP_PROTOCOL_IN_USE;
}

clump_protocol_status clump_segment_create(const char *name, size_t size, unsigned mode,
                                           struct clump_block_header **block, char *message)
{
    char path[PATH_BYTES];
    path_of(name, path);
    int fd = -1;
    for (int tries = 0; tries < 3 && fd < 0; tries++) {
        fd = shm_open(path, O_RDWR | O_CREAT | O_EXCL, (mode_t)mode);
        if (fd >= 0)
            break;
        if (errno != EEXIST)
            return system_error(message, "cannot create", name);
        clump_segment_remove_stale(name);
    }
    if (fd < 0) {
        fd = shm_open(path, O_RDONLY, 0);
        const clump_protocol_status status = in_use(name, fd, errno, message);
        if (fd >= 0)
            close(fd);
        return status;
    }
    /* What the umask took away. posix_fallocate takes the memory now: later, a full /dev/shm would be a SIGBUS. */
    int error = fchmod(fd, (mode_t)mode) != 0 ? errno : posix_fallocate(fd, 0, (off_t)size);
    void *memory = MAP_FAILED;
    if (error == 0)
        memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    else
        errno = error;
    if (memory == MAP_FAILED) {
        clump_protocol_status status = system_error(message, "cannot get memory for", name);
        shm_unlink(path);
        close(fd);
        return status;
    }
    close(fd);
    *block = memory;
    return CLUMP_PROTOCOL_OK;
}

clump_protocol_status clump_segment_map(const char *name, struct clump_block_header **block,
                                        size_t *size, char *message)
{
    char path[PATH_BYTES];
    path_of(name, path);
    int fd = shm_open(path, O_RDWR, 0);
    if (fd < 0 && errno == ENOENT) {
        snprintf(message, CLUMP_MESSAGE_BYTES, "there is no endpoint %s", name);
        return CLUMP_PROTOCOL_NOT_FOUND;
    }
    if (fd < 0)
        return system_error(message, "cannot open", name);
    struct clump_block_header header;
    struct stat status;
    if (pread(fd, &header, sizeof header, 0) != (ssize_t)sizeof header ||
        header.magic != CLUMP_BLOCK_MAGIC) {
        if (fstat(fd, &status) != 0)
            status.st_uid = geteuid();
        close(fd);
        snprintf(message, CLUMP_MESSAGE_BYTES,
                 "endpoint %s is still being made by user %ld: try again", name,
                 (long)status.st_uid);
        return CLUMP_PROTOCOL_NOT_FOUND;
    }
    size_t bytes = clump_block_bytes(header.length, header.bulk_length);
    if (bytes == 0 || header.size != bytes || fstat(fd, &status) != 0 ||
        status.st_size < (off_t)bytes) {
        close(fd);
        snprintf(message, CLUMP_MESSAGE_BYTES,
                 "/clump-%s is not a queue block of this version: its size does not fit its queue "
                 "lengths %u and %u",
                 name, header.length, header.bulk_length);
        return CLUMP_PROTOCOL_FAILED;
    }
    if (header.owner != 0 && header.space != clump_process_space()) {
        close(fd);
        snprintf(message, CLUMP_MESSAGE_BYTES,
                 "endpoint %s belongs to another pid namespace, from which no death can be seen "
                 "here: share it between the containers (--pid), or use the network",
                 name);
        return CLUMP_PROTOCOL_FAILED;
    }
    if (header.owner == 0 || !clump_process_alive(header.owner)) {
        close(fd);
        clump_segment_remove_stale(name);
        snprintf(message, CLUMP_MESSAGE_BYTES, "the process of endpoint %s has ended", name);
        return CLUMP_PROTOCOL_PEER_DEAD;
    }
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED) {
        clump_protocol_status failed = system_error(message, "cannot map", name);
        close(fd);
        return failed;
    }
    close(fd);
    *block = memory;
    *size = bytes;
    return CLUMP_PROTOCOL_OK;
}

void clump_segment_unlink_own(const char *name, const struct clump_block_header *block)
{
    char path[PATH_BYTES];
    path_of(name, path);
    int fd = shm_open(path, O_RDWR, 0);
    if (fd < 0)
        return;
    uint64_t owner = 0, space = 0;
    read_owner(fd, &owner, &space);
    close(fd);
    if (owner == atomic_load_explicit(&block->owner, memory_order_relaxed))
        shm_unlink(path);
}
