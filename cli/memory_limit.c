/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/memory_limit.h"

#include "cli/output/errors.h"
#include "data/owned.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

/* What the C library takes for a thread beside its stack, and for itself. */
static const rlim_t per_thread = (rlim_t)1 << 20, besides = (rlim_t)8 << 20;

static struct rlimit before;
static size_t limit;                        /* 0: none */
static const char *option = "--max-memory"; /* that says how much */

/* Private memory that can be written: what RLIMIT_DATA counts. 0: not known. */
static rlim_t taken(void)
{
    unsigned long pages[6] = {0};
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL)
        return 0;
    const int found = fscanf(file, "%lu %lu %lu %lu %lu %lu", &pages[0], &pages[1], &pages[2],
                             &pages[3], &pages[4], &pages[5]);
    fclose(file);
    const long size = sysconf(_SC_PAGESIZE);
    return found == 6 && size > 0 ? (rlim_t)pages[5] * (rlim_t)size : 0;
}

static rlim_t stack_of_thread(void)
{
    struct rlimit stack;
    const rlim_t usual = (rlim_t)8 << 20;
    if (getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur == RLIM_INFINITY)
        return usual;
    return stack.rlim_cur;
}

void memory_limit_begin(size_t bytes, int threads)
{
    if (bytes == 0)
        bytes = (size_t)2 << 30;
    const rlim_t now = taken();
    const rlim_t more = besides + (rlim_t)threads * (stack_of_thread() + per_thread);
    if (SANITIZED || now == 0 || bytes > RLIM_INFINITY / 4 || getrlimit(RLIMIT_DATA, &before) != 0)
        return;
    struct rlimit wanted = before;
    wanted.rlim_cur = now + more + bytes;
    if (wanted.rlim_cur < before.rlim_cur && setrlimit(RLIMIT_DATA, &wanted) == 0)
        limit = bytes;
}

void memory_limit_end(void)
{
    if (limit > 0)
        setrlimit(RLIMIT_DATA, &before);
    limit = 0;
}

static char too_late[200]; /* what is said then */

static void on_alarm(int number)
{
    (void)number;
    clump_owned_drop();
    _exit(write(STDERR_FILENO, too_late, strlen(too_late)) > 0 ? EXIT_INPUT : EXIT_FAILED);
}

int budget_begin(const char *command, const char *said, clump_budget *budget)
{
    char message[CLUMP_BUDGET_MESSAGE];
    *budget = (clump_budget)CLUMP_BUDGET_USUAL;
    if (said != NULL && !clump_budget_parse(said, budget, message))
        return error_usage(command, "--budget: %s", message);
    option = "--budget (memory=BYTES)";
    memory_limit_begin((size_t)budget->memory, 1);
    snprintf(too_late, sizeof too_late,
             "clumpmodel %s: it takes longer than the %llu seconds of --budget (seconds=NUMBER)\n",
             command, (unsigned long long)budget->seconds);
    signal(SIGALRM, on_alarm);
    alarm((unsigned)budget->seconds);
    return EXIT_DONE;
}

void budget_end(void)
{
    alarm(0);
    memory_limit_end();
}

int memory_limit_told(const char *command, bool no_memory, const char *message)
{
    if (limit > 0 && no_memory)
        return error_input(command, "%s: more than the %zu bytes of %s; ask for less, or raise it",
                           message, limit, option);
    return error_failed(command, "%s", message);
}
