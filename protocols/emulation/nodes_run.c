/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* unshare, pipe2 */
#include "protocols/emulation/nodes_run.h"
#include "data/owned.h"
#include "protocols/emulation/machine_use.h"
#include "protocols/emulation/tool.h"
#include "protocols/queue/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    MESSAGE = CLUMP_NODES_MESSAGE,
    NAMESPACES = CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWPID
};

/*
 * Three processes: the caller; the keeper, its child, which enters new namespaces; and the first
 * process of the PID namespace, the keeper's child, which makes the nodes and does the work. When
 * that ends the kernel ends all processes of the namespace, and with them go the networks, the host
 * names, the mounts and the shared memory. It ends with the keeper, and that with the caller.
 */
struct shared {
    clump_protocol_status status;
    char message[MESSAGE];
    struct clump_nodes_traffic traffic[CLUMP_NODES_MOST];
    bool done;
    double busy, taken;
};

struct course {
    const struct clump_nodes_run *run;
    struct shared *shared;
    int alive[2]; /* a pipe: its end tells that the caller has ended */
};

static void give_up(struct shared *shared, clump_protocol_status status, const char *message)
{
    shared->status = status;
    snprintf(shared->message, sizeof shared->message, "%s", message);
    _exit(1);
}

/* ---- namespaces */

static int namespaces_of(bool nodes)
{
    return nodes ? NAMESPACES : CLONE_NEWNET;
}

/* Root in a user namespace of our own is enough: it may do anything to its own networks. */
static clump_protocol_status enter(int namespaces, char *message)
{
    char map[2][40];
    snprintf(map[0], sizeof map[0], "0 %ld 1\n", (long)geteuid());
    snprintf(map[1], sizeof map[1], "0 %ld 1\n", (long)getegid());
    if (unshare(namespaces) == 0 || (unshare(CLONE_NEWUSER | namespaces) == 0 &&
                                     clump_emulation_write("/proc/self/setgroups", "deny") &&
                                     clump_emulation_write("/proc/self/uid_map", map[0]) &&
                                     clump_emulation_write("/proc/self/gid_map", map[1])))
        return CLUMP_PROTOCOL_OK;
    snprintf(message, MESSAGE,
             "no network namespaces (%s): run it as root, or allow user namespaces",
             strerror(errno));
    return CLUMP_PROTOCOL_BLOCKED;
}

/* ---- the process that does the work: the first of a PID namespace, if there are nodes */

static clump_protocol_status prepare_mounts(char *message)
{
    const unsigned long plain = MS_NOSUID | MS_NODEV;
    if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
        mount("proc", "/proc", "proc", plain | MS_NOEXEC, NULL) == 0 &&
        mount("tmpfs", "/dev/shm", "tmpfs", plain, "mode=1777") == 0)
        return CLUMP_PROTOCOL_OK;
    snprintf(message, MESSAGE,
             "no mounts of its own (%s): the container or the system forbids them; it needs "
             "CAP_SYS_ADMIN, or user namespaces and a /proc that nothing hides",
             strerror(errno));
    return CLUMP_PROTOCOL_BLOCKED;
}

clump_protocol_status clump_nodes_wait(const struct clump_nodes_permit *permit, int ms,
                                       char *message)
{
    struct pollfd caller = {.fd = permit->caller, .events = POLLIN};
    if (clump_time_ns() > permit->limit_ns) {
        snprintf(message, MESSAGE, "stopped after %.0f s: a run may take %.0f s",
                 permit->limit_seconds, permit->limit_seconds);
        return CLUMP_PROTOCOL_TIMED_OUT;
    }
    if (poll(&caller, 1, ms) > 0)
        _exit(1);
    return CLUMP_PROTOCOL_OK;
}

static void be_first(const struct course *course)
{
    const struct clump_nodes_run *run = course->run;
    struct shared *shared = course->shared;
    struct clump_nodes nodes = {.count = 0};
    char message[MESSAGE] = "";
    close(course->alive[1]);
    const struct clump_nodes_permit permit = {.caller = course->alive[0],
                                              .limit_ns = clump_time_ns() +
                                                          (uint64_t)(1e9 * run->limit_seconds),
                                              .limit_seconds = run->limit_seconds};
    clump_protocol_status status = CLUMP_PROTOCOL_OK;
    if (run->plan.nodes > 0)
        status = prepare_mounts(message);
    if (run->plan.nodes > 0 && status == CLUMP_PROTOCOL_OK)
        status = clump_nodes_make(&nodes, &run->plan, message);
    if (status != CLUMP_PROTOCOL_OK)
        give_up(shared, status, message);
    const struct clump_machine_ticks before = clump_machine_ticks_now();
    status = run->work(&nodes, &permit, run->context, message);
    const struct clump_machine_ticks after = clump_machine_ticks_now();
    shared->busy = clump_machine_busy(&before, &after);
    shared->taken = clump_machine_taken(&before, &after);
    for (unsigned n = 0; n < run->plan.nodes; n++)
        clump_nodes_read_traffic(&nodes, n, &shared->traffic[n]);
    if (status != CLUMP_PROTOCOL_OK)
        give_up(shared, status, message);
    shared->done = true;
    _exit(0);
}

/* ---- the keeper */

static void keep(const struct course *course, pid_t parent)
{
    char message[MESSAGE] = "";
    const clump_protocol_status status = enter(namespaces_of(course->run->plan.nodes > 0), message);
    clump_child_stay(parent, SIGKILL); /* a new user namespace forgets it */
    if (status != CLUMP_PROTOCOL_OK)
        give_up(course->shared, status, message);
    close(course->alive[1]);
    const pid_t first = clump_child_fork(SIGKILL);
    if (first == 0)
        be_first(course);
    if (first < 0)
        give_up(course->shared, CLUMP_PROTOCOL_FAILED, "no more processes");
    clump_child_wait(first);
    _exit(0);
}

/* ---- the caller */

clump_protocol_status clump_nodes_probe(bool nodes, char message[CLUMP_NODES_MESSAGE])
{
    static const char *const tools[][2] = {
        {"ip", "iproute2"}, {"tc", "iproute2"}, {"nsenter", "util-linux"}};
    for (size_t i = 0; i < (nodes ? 3 : 2); i++)
        if (!clump_emulation_tool_exists(tools[i][0])) {
            snprintf(message, MESSAGE, "needs '%s': install %s", tools[i][0], tools[i][1]);
            return CLUMP_PROTOCOL_NOT_FOUND;
        }
    const pid_t child = clump_child_fork(SIGKILL);
    if (child == 0) /* the message that it makes is lost; ours says the same */
        _exit(enter(namespaces_of(nodes), message) == CLUMP_PROTOCOL_OK ? 0 : 1);
    if (child > 0 && clump_child_wait(child) == 0)
        return CLUMP_PROTOCOL_OK;
    snprintf(message, MESSAGE,
             "no %snamespaces: run it as root (CAP_SYS_ADMIN), or allow user namespaces",
             nodes ? "" : "network ");
    return CLUMP_PROTOCOL_BLOCKED;
}

/* Until the keeper has ended. False: it was stopped. */
static bool wait_for(const struct clump_nodes_run *run, pid_t keeper)
{
    const struct timespec moment = {.tv_nsec = 50000000};
    bool stop = false;
    pid_t ended;
    while ((ended = waitpid(keeper, NULL, run->watch != NULL ? WNOHANG : 0)) == 0 ||
           (ended < 0 && errno == EINTR)) {
        if (ended == 0 && !stop && run->watch(run->context)) {
            stop = true;
            kill(keeper, SIGKILL);
        } else if (ended == 0) {
            nanosleep(&moment, NULL);
        }
    }
    return !stop;
}

static clump_protocol_status run_it(struct course *course, char *message)
{
    struct shared *shared = course->shared;
    const pid_t self = getpid();
    const pid_t keeper = clump_child_fork(SIGKILL);
    if (keeper == 0)
        keep(course, self);
    close(course->alive[0]);
    course->alive[0] = -1;
    if (keeper < 0) {
        snprintf(message, MESSAGE, "no process: %s", strerror(errno));
        return CLUMP_PROTOCOL_FAILED;
    }
    if (!wait_for(course->run, keeper)) {
        snprintf(message, MESSAGE, "stopped");
        return CLUMP_PROTOCOL_TIMED_OUT;
    }
    if (shared->status == CLUMP_PROTOCOL_OK && !shared->done) {
        snprintf(message, MESSAGE, "a process was killed");
        return CLUMP_PROTOCOL_FAILED;
    }
    snprintf(message, MESSAGE, "%.*s", MESSAGE - 1, shared->message);
    return shared->status;
}

clump_protocol_status clump_nodes_run(struct clump_nodes_run *run,
                                      char message[CLUMP_NODES_MESSAGE])
{
    struct course course = {.run = run, .alive = {-1, -1}};
    clump_protocol_status status = CLUMP_PROTOCOL_FAILED;
    course.shared = mmap(NULL, sizeof *course.shared, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (course.shared == MAP_FAILED) {
        snprintf(message, MESSAGE, "no memory for a run");
        return CLUMP_PROTOCOL_FAILED;
    }
    if (pipe2(course.alive, O_CLOEXEC) == 0)
        status = run_it(&course, message);
    else
        snprintf(message, MESSAGE, "no pipe: %s", strerror(errno));
    if (status == CLUMP_PROTOCOL_OK) {
        memcpy(run->traffic, course.shared->traffic, sizeof run->traffic);
        run->machine_busy = course.shared->busy;
        run->machine_taken = course.shared->taken;
    }
    for (int i = 0; i < 2; i++)
        if (course.alive[i] >= 0)
            close(course.alive[i]);
    munmap(course.shared, sizeof *course.shared);
    return status;
}
