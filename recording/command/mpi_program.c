/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/command/mpi_program.h"

#include "cli/companion_files.h"
#include "cli/output/errors.h"
#include "data/owned.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct {
    const char *name, *title, *package; /* of Debian, with which our library is built */
    const char *library;                /* in the list of libraries of a program */
    const char *launcher;               /* in what mpirun --version prints */
    const char *renamed;                /* the same, where it is called by another name */
    const char *own_launcher,
        *bare_launcher; /* where both libraries are installed, or this one alone */
} kinds[MPI_KINDS] = {
    [MPI_KIND_OPENMPI] = {"openmpi", "Open MPI", "libopenmpi-dev", "libmpi.so", "Open MPI",
                          "OpenRTE", "mpirun.openmpi", "orterun"},
    [MPI_KIND_MPICH] = {"mpich", "MPICH", "libmpich-dev", "libmpich.so", "HYDRA", "HYDRA",
                        "mpirun.mpich", "mpiexec.hydra"},
};

const char *mpi_kind_name(mpi_kind kind)
{
    return kinds[kind].name;
}

const char *mpi_kind_title(mpi_kind kind)
{
    return kinds[kind].title;
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
static void ask(char *const *words, char *text, size_t size)
{
    clump_heard tool;
    const clump_child_plan plan = {.words = (const char *const *)words,
                                   .streams = {[2] = CLUMP_STREAM_NOWHERE},
                                   .signal = SIGKILL};
    text[0] = '\0';
    if (clump_heard_start(&tool, &plan, 1) != 0)
        return;
    clump_heard_all(&tool, text, size);
    clump_heard_end(&tool);
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

mpi_kind mpi_program_kind(const char *path)
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
        if (strstr(text, kinds[kind].launcher) != NULL || strstr(text, kinds[kind].renamed) != NULL)
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
    if (!program_find(words[0], path))
        return error_input(command, "found '%.200s', expected a program that can be run", words[0]);
    for (size_t i = 0; i < count; i++) {
        if (mpi_is_launcher(words[i])) {
            if (launcher == MPI_KINDS)
                launcher = launched_by(words[i]);
        } else if (linked == MPI_KINDS && program_find(words[i], path) && is_program(path)) {
            linked = mpi_program_kind(path);
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

bool mpi_launcher_find(mpi_kind kind, char path[PATH_MAX])
{
    return program_find(kinds[kind].own_launcher, path) ||
           program_find(kinds[kind].bare_launcher, path);
}

int mpi_library_find(const char *command, const char *name, mpi_kind kind, char path[PATH_MAX])
{
    char file[NAME_MAX];
    snprintf(file, sizeof file, "%s-%s.so", name, kinds[kind].name);
    if (companion_find(file, path))
        return EXIT_DONE;
    return error_failed(
        command,
        "the library for %s is not there (%s): it is built where the compiler of %s is, so "
        "install its package (Debian: %s) and build anew",
        kinds[kind].title, path, kinds[kind].title, kinds[kind].package);
}
