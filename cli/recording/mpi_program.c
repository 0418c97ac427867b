/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/recording/mpi_program.h"

#include "cli/output/errors.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef CLUMP_LIBRARY_DIR
#define CLUMP_LIBRARY_DIR "/usr/local/lib/clumpmodel"
#endif

static const struct {
    const char *name, *title, *package;
    const char *library;  /* in the list of libraries of a program */
    const char *launcher; /* in what mpirun --version prints */
} kinds[MPI_KINDS] = {
    [MPI_KIND_OPENMPI] = {"openmpi", "Open MPI", "libopenmpi-dev", "libmpi.so", "Open MPI"},
    [MPI_KIND_MPICH] = {"mpich", "MPICH", "libmpich-dev", "libmpich.so", "HYDRA"},
};

const char *mpi_kind_name(mpi_kind kind)
{
    return kinds[kind].name;
}

const char *mpi_kind_title(mpi_kind kind)
{
    return kinds[kind].title;
}

const char *mpi_kind_package(mpi_kind kind)
{
    return kinds[kind].package;
}

static const char *base_name(const char *word)
{
    const char *slash = strrchr(word, '/');
    return slash != NULL ? slash + 1 : word;
}

bool mpi_is_launcher(const char *word)
{
    static const char *const names[] = {"mpirun", "mpiexec", "orterun", "prterun"};
    const char *name = base_name(word);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t length = strlen(names[i]);
        if (strncmp(name, names[i], length) == 0 && (name[length] == '\0' || name[length] == '.'))
            return true;
    }
    return false;
}

/* Run a tool and keep the beginning of what it prints, "" if it cannot be run. */
static void ask(char *const *arguments, char *text, size_t size)
{
    extern char **environ;
    posix_spawn_file_actions_t actions;
    int ends[2];
    pid_t child;
    size_t used = 0;
    text[0] = '\0';
    if (pipe(ends) != 0)
        return;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    if (posix_spawn_file_actions_init(&actions) != 0) {
        close(ends[0]);
        close(ends[1]);
        return;
    }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    const int wrong = posix_spawnp(&child, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (wrong == 0) {
        char rest[512];
        for (ssize_t got;;) {
            const bool room = used + 1 < size;
            got = room ? read(ends[0], text + used, size - 1 - used)
                       : read(ends[0], rest, sizeof rest);
            if (got < 0 && errno == EINTR)
                continue;
            if (got <= 0)
                break;
            if (room)
                used += (size_t)got;
        }
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    text[used] = '\0';
    close(ends[0]);
}

/* The file that a word would run, as the shell finds it. */
static bool find_file(const char *word, char path[PATH_MAX])
{
    struct stat found;
    if (strchr(word, '/') != NULL) {
        snprintf(path, PATH_MAX, "%s", word);
        return stat(path, &found) == 0 && S_ISREG(found.st_mode) && access(path, X_OK) == 0;
    }
    for (const char *at = getenv("PATH"); at != NULL && *at != '\0';) {
        const size_t length = strcspn(at, ":");
        const int used = snprintf(path, PATH_MAX, "%.*s/%s", (int)length, at, word);
        if (length > 0 && used > 0 && used < PATH_MAX && stat(path, &found) == 0 &&
            S_ISREG(found.st_mode) && access(path, X_OK) == 0)
            return true;
        at += length + (at[length] == ':');
    }
    return false;
}

static bool is_program(const char *path)
{
    char magic[4] = "";
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    const bool is = read(file, magic, sizeof magic) == sizeof magic &&
                    memcmp(magic, "\177ELF", sizeof magic) == 0;
    close(file);
    return is;
}

/* The MPI library that a program is linked to: MPI_KINDS if to none. */
static mpi_kind linked_to(const char *path)
{
    char text[16384], name[] = "ldd", file[PATH_MAX];
    char *arguments[] = {name, file, NULL};
    snprintf(file, sizeof file, "%s", path);
    ask(arguments, text, sizeof text);
    for (mpi_kind kind = 0; kind < MPI_KINDS; kind++)
        if (strstr(text, kinds[kind].library) != NULL)
            return kind;
    return MPI_KINDS;
}

static mpi_kind launched_by(const char *word)
{
    char text[4096], name[PATH_MAX], version[] = "--version";
    char *arguments[] = {name, version, NULL};
    snprintf(name, sizeof name, "%s", word);
    ask(arguments, text, sizeof text);
    for (mpi_kind kind = 0; kind < MPI_KINDS; kind++)
        if (strstr(text, kinds[kind].launcher) != NULL)
            return kind;
    return MPI_KINDS;
}

int mpi_program_find(const char *command, const char *wanted, const char *const *words,
                     size_t count, mpi_kind *kind)
{
    char path[PATH_MAX];
    mpi_kind launcher = MPI_KINDS, linked = MPI_KINDS;
    const char *program = NULL;
    if (wanted != NULL) {
        for (*kind = 0; strcmp(kinds[*kind].name, wanted) != 0;)
            ++*kind;
        return EXIT_DONE;
    }
    if (!find_file(words[0], path))
        return error_input(command, "found '%.200s', expected a program that can be run", words[0]);
    for (size_t i = 0; i < count; i++) {
        if (mpi_is_launcher(words[i])) {
            if (launcher == MPI_KINDS)
                launcher = launched_by(words[i]);
        } else if (linked == MPI_KINDS && find_file(words[i], path) && is_program(path)) {
            linked = linked_to(path);
            program = words[i];
        }
    }
    if (linked != MPI_KINDS && launcher != MPI_KINDS && linked != launcher)
        return error_input(command,
                           "'%.200s' is linked to %s, but '%.80s' starts programs of %s: expected "
                           "both from one MPI library, such as mpirun.%s",
                           program, kinds[linked].title, words[0], kinds[launcher].title,
                           kinds[linked].name);
    *kind = linked != MPI_KINDS ? linked : launcher;
    if (*kind == MPI_KINDS)
        return error_input(
            command,
            "'%.200s': found no MPI library in the command, expected a program linked "
            "to Open MPI or MPICH; if it is, say which: --mpi openmpi or --mpi mpich",
            words[0]);
    return EXIT_DONE;
}

/* ---- our library */

static bool library_there(char path[MPI_LIBRARY_SIZE], const char *folder, const char *below,
                          const char *name, mpi_kind kind)
{
    const int used =
        snprintf(path, MPI_LIBRARY_SIZE, "%s%s/%s-%s.so", folder, below, name, kinds[kind].name);
    return used > 0 && used < MPI_LIBRARY_SIZE && access(path, R_OK) == 0;
}

int mpi_library_find(const char *command, const char *name, mpi_kind kind,
                     char path[MPI_LIBRARY_SIZE])
{
    char self[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length > 0) {
        self[length] = '\0';
        char *slash = strrchr(self, '/');
        if (slash != NULL) {
            *slash = '\0';
            if (library_there(path, self, "", name, kind) ||
                library_there(path, self, "/..", name, kind) ||
                library_there(path, self, "/../lib/clumpmodel", name, kind))
                return EXIT_DONE;
        }
    }
    if (library_there(path, CLUMP_LIBRARY_DIR, "", name, kind))
        return EXIT_DONE;
    return error_failed(command,
                        "the library for %s is not there (%s/%s-%s.so): it is built where the "
                        "compiler of %s is, so install its package (Debian: %s) and build anew",
                        kinds[kind].title, CLUMP_LIBRARY_DIR, name, kinds[kind].name,
                        kinds[kind].title, kinds[kind].package);
}
