/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kill_at NUMBER COMMAND...: run a command and kill -9 its process at the beginning of its NUMBER-th system call that can change a file,
 * which is not done any more; 0: let it be. Prints how many such calls there were. The exit status is the command's; 137: it was killed;
 * 77: the system does not let one process look at another.
 *
 * Between two such calls nothing on the disk changes: these are all states that kill -9 can leave.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CANNOT = 77, SYSCALL_STOP = SIGTRAP | 0x80 };

/* Locks are among them: others see those that are held. */
static const long changing[] = {
    SYS_write,     SYS_pwrite64,  SYS_writev,    SYS_pwritev,  SYS_ftruncate, SYS_truncate,
    SYS_fallocate, SYS_fsync,     SYS_fdatasync, SYS_unlinkat, SYS_mkdirat,   SYS_linkat,
    SYS_symlinkat, SYS_fchmod,    SYS_fchmodat,  SYS_fchown,   SYS_fcntl,     SYS_flock,
    SYS_msync,     SYS_renameat2,
#ifdef SYS_renameat
    SYS_renameat,
#endif
#ifdef SYS_rename
    SYS_rename,    SYS_unlink,    SYS_rmdir,     SYS_mkdir,    SYS_link,      SYS_chmod,
#endif
};

static bool is_changing(pid_t process)
{
    struct __ptrace_syscall_info info = {0};
    if (ptrace(PTRACE_GET_SYSCALL_INFO, process, sizeof info, &info) <= 0 ||
        info.op != PTRACE_SYSCALL_INFO_ENTRY)
        return false;
    const long number = (long)info.entry.nr;
    if (number == SYS_openat)
        return (info.entry.args[2] & (O_CREAT | O_TRUNC)) != 0;
    for (size_t i = 0; i < sizeof changing / sizeof *changing; i++)
        if (number == changing[i])
            return true;
    return false;
}

int main(int count, char **arguments)
{
    int status = 0;
    long calls = 0;
    if (count < 3)
        return 2;
    const long wanted = atol(arguments[1]);
    const pid_t first = fork();
    if (first == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
            _exit(CANNOT);
        raise(SIGSTOP);
        execvp(arguments[2], arguments + 2);
        _exit(126);
    }
    if (first < 0 || waitpid(first, &status, 0) != first || !WIFSTOPPED(status) ||
        ptrace(PTRACE_SETOPTIONS, first, NULL,
               PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE |
                   PTRACE_O_TRACEEXEC) != 0)
        return CANNOT;
    ptrace(PTRACE_SYSCALL, first, NULL, 0);
    for (;;) {
        const pid_t stopped = waitpid(-1, &status, __WALL);
        if (stopped < 0)
            return 1;
        if (!WIFSTOPPED(status)) {
            if (stopped == first)
                break;
            continue;
        }
        int signal_number = WSTOPSIG(status);
        if (signal_number == SYSCALL_STOP && is_changing(stopped) && ++calls == wanted)
            kill(first, SIGKILL);
        if (signal_number == SYSCALL_STOP || signal_number == SIGTRAP || signal_number == SIGSTOP)
            signal_number = 0;
        ptrace(PTRACE_SYSCALL, stopped, NULL, (void *)(long)signal_number);
    }
    fprintf(stderr, "%ld\n", calls);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
