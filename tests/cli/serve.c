/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Preloaded into the program (run.sh), so that a script of tests starts it once: the loader and the
 * sanitizers have done their work when main() would begin, and each call that the script asks for is
 * a fork of the process at that point, with the caller's folder, variables and arguments.
 *
 * A call comes on standard input, as words that end with a zero byte each: the folder, how many
 * variables there are and each of them (NAME=VALUE), how many arguments there are and each of them.
 * The call reads nothing and writes to the files out and err in its folder. The answer on standard
 * output is a line with its exit status as shells tell it.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int program_start(int argc, char **argv, char **environment);
typedef int library_start(program_start *start, int argc, char **argv, void (*before)(void),
                          void (*after)(void), void (*loader)(void), void *stack);

static program_start *program;
/* Of the call that is served. Not on the stack: what is reachable is no leak. */
static char *folder, **variables, **arguments;

/* What the C library begins every program with. */
int __libc_start_main(program_start *start, int argc, char **argv, void (*before)(void),
                      void (*after)(void), void (*loader)(void), void *stack);

/* The sanitizer's search for leaks, where the program has it. It reads megabytes of tables: a process that
 * has done so hands their pages on, which saves each call two thousand page faults. */
int __lsan_do_recoverable_leak_check(void) __attribute__((weak));

static void stop(const char *what)
{
    dprintf(STDERR_FILENO, "serve: %s: %s\n", what, strerror(errno));
    _exit(125);
}

/* The next word, which the caller frees; NULL where there are no more calls. */
static char *next_word(void)
{
    char *word = NULL;
    size_t room = 0;
    if (getdelim(&word, &room, '\0', stdin) > 0)
        return word;
    free(word);
    return NULL;
}

/* Words with their number before them, and NULL behind them. */
static char **next_words(const char *first, int *count)
{
    char *number = next_word();
    const int more = number == NULL ? 0 : atoi(number);
    free(number);
    *count = (first != NULL) + more;
    char **words = calloc((size_t)*count + 1, sizeof *words);
    if (words == NULL)
        stop("memory");
    int i = 0;
    if (first != NULL)
        words[i++] = strdup(first);
    for (; i < *count; i++)
        if ((words[i] = next_word()) == NULL)
            stop("a call without its end");
    return words;
}

static void free_words(char **words)
{
    for (size_t i = 0; words[i] != NULL; i++)
        free(words[i]);
    free(words);
}

static void take(int descriptor, const char *name, int flags)
{
    const int opened = open(name, flags, 0666);
    if (opened < 0 || dup2(opened, descriptor) < 0)
        stop(name);
    close(opened);
}

/* In a process of its own: its exit status is the program's. */
static int call(int argc)
{
    if (chdir(folder) != 0)
        stop(folder);
    take(STDIN_FILENO, "/dev/null", O_RDONLY);
    take(STDOUT_FILENO, "out", O_WRONLY | O_CREAT | O_TRUNC);
    take(STDERR_FILENO, "err", O_WRONLY | O_CREAT | O_TRUNC);
    environ = variables;
    return program(argc, arguments, variables);
}

static int serve(int argc, char **argv, char **environment)
{
    (void)argc, (void)environment;
    signal(SIGCHLD, SIG_DFL); /* whoever ignores it gets no status */
    if (__lsan_do_recoverable_leak_check != NULL)
        __lsan_do_recoverable_leak_check();
    while ((folder = next_word()) != NULL) {
        int variable_count, argument_count, status;
        variables = next_words(NULL, &variable_count);
        arguments = next_words(argv[0], &argument_count);
        const pid_t process = fork();
        if (process == 0)
            return call(argument_count);
        if (process < 0 || waitpid(process, &status, 0) != process)
            stop("fork");
        dprintf(STDOUT_FILENO, "%d\n",
                WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
        free(folder);
        free_words(variables);
        free_words(arguments);
    }
    _exit(0);
}

int __libc_start_main(program_start *start, int argc, char **argv, void (*before)(void),
                      void (*after)(void), void (*loader)(void), void *stack)
{
    library_start *begin;
    *(void **)&begin = dlsym(RTLD_NEXT, "__libc_start_main");
    if (begin == NULL)
        stop("no C library");
    unsetenv(
        "LD_PRELOAD"); /* what the program starts, such as the sanitizers' symbolizer, serves nobody */
    program = start;
    return begin(serve, argc, argv, before, after, loader, stack);
}
