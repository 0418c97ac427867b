/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* sethostname */
#include "recording/emulation/program_start.h"
#include "data/owned.h"
#include "recording/dilation.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MESSAGE = CLUMP_MPI_EMULATION_MESSAGE_BYTES, MOST_ARGUMENTS = 64, TEXT = 4096 };
#define RECORD "CLUMPMODEL_RECORD" /* clumpmodel-record(1) */
#define FOLDER "/dev/shm/clumpmodel"
#define AGENT FOLDER "/agent"
#define HOSTS FOLDER "/hosts"

/* ---- files */

static bool write_file(const char *path, const char *text)
{
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
    if (file < 0)
        return false;
    const bool written = write(file, text, strlen(text)) == (ssize_t)strlen(text);
    return (close(file) == 0) & written;
}

/* What mpirun calls where it would call ssh: HOST COMMAND... */
static const char agent[] = "#!/bin/sh\n"
                            "PATH=$PATH:/usr/sbin:/usr/bin:/sbin:/bin\n"
                            "while [ \"${1#-}\" != \"$1\" ]; do shift; done\n"
                            "read -r holder < " FOLDER "/$1 || exit 1\n"
                            "shift\n"
                            "exec nsenter -t \"$holder\" -n -u -m sh -c \"$*\"\n";

static bool write_nodes(const struct clump_nodes *nodes)
{
    char text[64 * (CLUMP_NODES_MOST + 2)], path[64], number[32];
    int used = snprintf(text, sizeof text, "127.0.0.1 localhost\n10.99.255.254 starter\n");
    for (unsigned n = 0; n < nodes->count; n++) {
        char name[CLUMP_NODES_NAME];
        clump_nodes_name(n, name);
        used += snprintf(text + used, sizeof text - (size_t)used, "10.99.0.%u %s\n", n + 1, name);
        snprintf(path, sizeof path, FOLDER "/%s", name);
        snprintf(number, sizeof number, "%ld\n", (long)nodes->holder[n]);
        if (!write_file(path, number))
            return false;
    }
    return write_file(HOSTS, text);
}

/* The nodes have mounts of their own, which know nothing of later ones: only the launcher needs names. */
static clump_protocol_status write_files(const struct clump_nodes *nodes, char *message)
{
    if (mkdir(FOLDER, 0755) == 0 && write_file(AGENT, agent) && write_nodes(nodes) &&
        mount(HOSTS, "/etc/hosts", NULL, MS_BIND, NULL) == 0 && sethostname("starter", 7) == 0)
        return CLUMP_PROTOCOL_OK;
    snprintf(message, MESSAGE, "cannot name the nodes: %s", strerror(errno));
    return CLUMP_PROTOCOL_FAILED;
}

/* ---- arguments */

struct arguments {
    const char *items[MOST_ARGUMENTS];
    unsigned count;
};

static void add(struct arguments *to, const char *first, ...)
{
    va_list more;
    va_start(more, first);
    for (const char *item = first; item != NULL; item = va_arg(more, const char *))
        if (to->count < MOST_ARGUMENTS)
            to->items[to->count++] = item;
    va_end(more);
}

/* "node1:4,node2:4" */
static void list_hosts(const clump_mpi_emulation_plan *plan, char text[TEXT])
{
    int used = 0;
    for (unsigned n = 0; n < plan->nodes; n++) {
        char name[CLUMP_NODES_NAME];
        clump_nodes_name(n, name);
        used += snprintf(text + used, (size_t)(TEXT - used), "%s%s:%u", n > 0 ? "," : "", name,
                         plan->processors);
    }
}

/* "10.100.0.0/16,10.101.0.0/16", or "nic0,nic1" */
static void list_nics(const clump_mpi_emulation_plan *plan, bool names, char text[TEXT])
{
    int used = 0;
    for (unsigned nic = 0; nic < plan->nics; nic++)
        used += snprintf(text + used, (size_t)(TEXT - used), names ? "%snic%u" : "%s10.%u.0.0/16",
                         nic > 0 ? "," : "", names ? nic : 100 + nic);
}

static void set_number(const char *name, const char *format, double number)
{
    char text[32];
    snprintf(text, sizeof text, format, number);
    setenv(name, text, 1);
}

static void set_common(const clump_mpi_emulation_plan *plan, int board_file)
{
    char board[64];
    snprintf(board, sizeof board, "/proc/1/fd/%d", board_file);
    setenv(CLUMP_DILATION_BOARD, board, 1);
    set_number(CLUMP_DILATION_FACTOR, "%.17g", plan->dilation);
    set_number(CLUMP_DILATION_RANKS_HERE, "%.0f", plan->processors);
    setenv("TMPDIR", "/dev/shm", 1);
    if (plan->record != NULL)
        setenv(RECORD, plan->record, 1);
}

/* Open MPI reads its parameters from the environment. What is only a choice leaves the user's alone. */
static void prepare_openmpi(const clump_mpi_emulation_plan *plan, struct arguments *to,
                            const char *ranks)
{
    static char hosts[TEXT], nics[TEXT];
    static const char *const passed[] = {CLUMP_DILATION_BOARD, CLUMP_DILATION_FACTOR,
                                         CLUMP_DILATION_RANKS_HERE};
    static const char variable[] = "LD_PRELOAD=";
    char *preload = malloc(sizeof variable + strlen(plan->preloads)); /* kept until exec */
    if (preload == NULL)
        _exit(126);
    strcpy(stpcpy(preload, variable), plan->preloads);
    list_hosts(plan, hosts);
    list_nics(plan, false, nics);
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    setenv("OMPI_MCA_plm", "rsh", 1);
    setenv("OMPI_MCA_plm_rsh_agent", AGENT, 1);
    setenv("OMPI_MCA_plm_rsh_no_tree_spawn", "1", 1);
    setenv("OMPI_MCA_oob_tcp_if_include", "10.99.0.0/16", 1);
    setenv("OMPI_MCA_btl_tcp_if_include", nics, 1);
    setenv("OMPI_MCA_pml", "ob1", 1);
    setenv("OMPI_MCA_btl", "tcp,vader,self", 0);
    setenv("OMPI_MCA_osc", "^ucx", 0);
    setenv("OMPI_MCA_mpi_yield_when_idle", "1", 1); /* the dilation's chance to sleep */
    setenv("OMPI_MCA_opal_event_include", "epoll",
           1); /* else it polls, and no one set tells of all sockets */
    add(to, "--oversubscribe", "--bind-to", "none", "--host", hosts, "-n", ranks, NULL);
    add(to, "-x", preload, NULL);
    for (size_t i = 0; i < sizeof passed / sizeof *passed; i++)
        add(to, "-x", passed[i], NULL);
    if (plan->record != NULL)
        add(to, "-x", RECORD, NULL);
}

/* MPICH hands its environment down. UCX finds nodes that share a kernel too near to use their NICs. */
static void prepare_mpich(const clump_mpi_emulation_plan *plan, struct arguments *to,
                          const char *ranks)
{
    static char hosts[TEXT], nics[TEXT];
    list_hosts(plan, hosts);
    list_nics(plan, true, nics);
    setenv("UCX_TLS", "tcp,self", 1);
    setenv("UCX_NET_DEVICES", nics, 1);
    set_number("UCX_MAX_RNDV_RAILS", "%.0f", plan->nics);
    set_number("UCX_MAX_EAGER_RAILS", "%.0f", plan->nics);
    setenv("UCX_WARN_UNUSED_ENV_VARS", "n", 0);
    add(to, "-launcher", "rsh", "-launcher-exec", AGENT, "-iface", "net0", NULL);
    add(to, "-hosts", hosts, "-n", ranks, "-genv", "LD_PRELOAD", plan->preloads, NULL);
}

/* ---- the launcher */

static void become_launcher(const clump_mpi_emulation_plan *plan, int board_file)
{
    struct arguments to = {.count = 0};
    char ranks[16];
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    const int nothing = open("/dev/null", O_RDONLY);
    if (nothing < 0 || dup2(nothing, 0) < 0 || dup2(plan->log, 1) < 0 || dup2(plan->log, 2) < 0)
        _exit(126);
    snprintf(ranks, sizeof ranks, "%u", plan->nodes * plan->processors);
    set_common(plan, board_file);
    add(&to, plan->launcher, NULL);
    if (plan->mpich)
        prepare_mpich(plan, &to, ranks);
    else
        prepare_openmpi(plan, &to, ranks);
    size_t words = 0;
    while (plan->command[words] != NULL)
        words++;
    const char **all = calloc(to.count + words + 1, sizeof *all);
    if (all == NULL)
        _exit(126);
    memcpy(all, to.items, to.count * sizeof *all);
    memcpy(all + to.count, plan->command, words * sizeof *all);
    execvp(plan->launcher, (char *const *)(uintptr_t)all);
    _exit(127);
}

clump_protocol_status clump_mpi_emulation_start(const clump_mpi_emulation_plan *plan,
                                                const struct clump_nodes *nodes, int board_file,
                                                pid_t *launcher, char *message)
{
    const clump_protocol_status status = write_files(nodes, message);
    if (status != CLUMP_PROTOCOL_OK)
        return status;
    *launcher = clump_child_fork(SIGKILL);
    if (*launcher == 0)
        become_launcher(plan, board_file);
    if (*launcher > 0)
        return CLUMP_PROTOCOL_OK;
    snprintf(message, MESSAGE, "no process for the launcher: %s", strerror(errno));
    return CLUMP_PROTOCOL_FAILED;
}
