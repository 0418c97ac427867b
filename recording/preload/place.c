/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/preload/place.h"
#include "recording/dilation.h"
#include "recording/preload/transports.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_FOLDER "clumpmodel-recording"
#define CLAIM ".claimed" /* in a folder whose recording begins */
#define TRACE_LIMIT (UINT64_C(64) << 20)

/* What every rank tells all others. */
typedef struct whereabouts {
    char host[64];
    uint64_t boot;
    uint64_t group; /* those who can share memory: user and its place */
} whereabouts;

typedef struct shared_name {
    char text[CLUMP_SHARED_NAME];
} shared_name;

uint64_t clump_place_trace_limit(void)
{
    const char *text = getenv("CLUMPMODEL_RECORD_TRACE");
    char *end;
    if (text == NULL || *text < '0' || *text > '9')
        return TRACE_LIMIT;
    errno = 0;
    const unsigned long long limit = strtoull(text, &end, 10);
    return errno != 0 || *end != '\0' ? TRACE_LIMIT : limit;
}

int64_t clump_place_flush_ns(void)
{
    const char *text = getenv("CLUMPMODEL_RECORD_FLUSH");
    char *end;
    const double seconds = text != NULL ? strtod(text, &end) : 1;
    return seconds >= 0.001 && seconds < 1e6 ? (int64_t)(seconds * 1e9) : 1000000000;
}

double clump_place_dilation(void)
{
    const char *text = getenv(CLUMP_DILATION_FACTOR);
    const double factor = text != NULL ? strtod(text, NULL) : 1;
    return factor >= 1 && factor <= 10000 ? factor : 1;
}

void clump_place_complain(const char *path, int reason)
{
    dprintf(STDERR_FILENO, "clumpmodel record: %s: %s: this rank is not recorded\n", path,
            strerror(reason));
}

/* ---- the folder */

static bool has_ranks(const char *folder)
{
    DIR *all = opendir(folder);
    if (all == NULL)
        return errno != ENOENT && errno != ENOTDIR;
    bool found = false;
    for (struct dirent *entry; !found && (entry = readdir(all)) != NULL;)
        found = strncmp(entry->d_name, "rank-", 5) == 0;
    closedir(all);
    return found;
}

static int make_folder(const char *folder)
{
    return mkdir(folder, 0777) == 0 || errno == EEXIST ? 0 : errno;
}

/* Programs that begin at the same moment find no files of ranks yet: a claim, which goes when that of rank 0 is there, keeps their ranks
 * apart. 0, EEXIST (somebody else's folder), or another errno. */
static int claim_folder(const char *folder, const char *claim)
{
    if (has_ranks(folder))
        return EEXIST;
    const int reason = make_folder(folder);
    if (reason != 0)
        return reason;
    const int file = open(claim, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0)
        return errno == ENOTDIR ? EEXIST : errno;
    close(file);
    if (!has_ranks(folder)) /* they may have come, and their claim gone, since we looked */
        return 0;
    unlink(claim);
    return EEXIST;
}

/* Chosen by rank 0, and absolute: other ranks may have another working directory. */
static int choose_folder(char folder[PATH_MAX], char claim[CLUMP_PLACE_CLAIM])
{
    const char *wanted = getenv("CLUMPMODEL_RECORD");
    char base[PATH_MAX - 16], here[PATH_MAX];
    if (wanted == NULL || *wanted == '\0')
        wanted = DEFAULT_FOLDER;
    if (*wanted != '/' && getcwd(here, sizeof here) == NULL)
        return errno;
    const int length = *wanted == '/' ? snprintf(base, sizeof base, "%s", wanted)
                                      : snprintf(base, sizeof base, "%s/%s", here, wanted);
    if (length < 0 || (size_t)length >= sizeof base)
        return ENAMETOOLONG;
    int reason = EEXIST;
    for (int i = 1; reason == EEXIST && i < 10000; i++) {
        snprintf(folder, PATH_MAX, i > 1 ? "%s-%d" : "%s", base, i);
        snprintf(claim, CLUMP_PLACE_CLAIM, "%s/" CLAIM, folder);
        reason = claim_folder(folder, claim);
    }
    if (reason != 0)
        claim[0] = '\0';
    const int other = reason == EEXIST ? make_folder(folder) : 0; /* if none could be looked into */
    return other != 0 ? other : reason;
}

/* ---- what this process is */

static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash;
}

static size_t read_all(const char *path, char *text, size_t size)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    size_t length = 0;
    if (file < 0)
        return 0;
    for (ssize_t got; length < size && (got = read(file, text + length, size - length)) > 0;)
        length += (size_t)got;
    close(file);
    return length;
}

/* Texts of a header have no control characters. */
static void tidy(char *text)
{
    for (; *text != '\0'; text++)
        if ((unsigned char)*text < ' ' || *text == 127)
            *text = '?';
}

/* The command line: arguments with blanks in quotes. */
static char *command_line(char **program)
{
    enum { MOST = 1 << 16 };
    char *raw = malloc(MOST), *text = malloc(3 * MOST + 4);
    size_t used = 0;
    *program = NULL;
    if (raw == NULL || text == NULL) {
        free(raw);
        free(text);
        return NULL;
    }
    const size_t length = read_all("/proc/self/cmdline", raw, MOST - 1);
    raw[length] = '\0';
    for (size_t i = 0; i < length; i += strlen(raw + i) + 1) {
        const char *word = raw + i;
        const bool quoted = *word == '\0' || strpbrk(word, " \t\n\"'$\\;&|<>()*?") != NULL;
        if (i > 0)
            text[used++] = ' ';
        if (quoted)
            text[used++] = '\'';
        memcpy(text + used, word, strlen(word));
        used += strlen(word);
        if (quoted)
            text[used++] = '\'';
    }
    text[used] = '\0';
    *program = strdup(raw);
    free(raw);
    tidy(text);
    if (*program != NULL)
        tidy(*program);
    return text;
}

static char *library_name(void)
{
    enum { ROOM = MPI_MAX_LIBRARY_VERSION_STRING + 128 };
    static char told[MPI_MAX_LIBRARY_VERSION_STRING + 1];
    char *text = malloc(ROOM);
    int length = 0;
    if (text == NULL)
        return NULL;
    PMPI_Get_library_version(told, &length);
    told[length] = '\0';
    strcpy(text, told);
    /* "Open MPI v4.1.4, package: ..."; "MPICH Version:\t4.0.2\n..." */
    if (strncmp(text, "MPICH Version:", 14) == 0) {
        const char *version = text + 14 + strspn(text + 14, " \t");
        const size_t size = strcspn(version, " \t\n");
        memmove(text + 6, version, size);
        memcpy(text, "MPICH ", 6);
        text[6 + size] = '\0';
    }
    text[strcspn(text, ",\n")] = '\0';
    clump_transports_append(text, ROOM, told, getenv("UCX_TLS"), getenv("FI_PROVIDER"));
    tidy(text);
    return text;
}

/* ---- agreeing */

static bool collect(clump_rank_place *place, const whereabouts *own, int rank, int ranks,
                    MPI_Comm all)
{
    whereabouts *everybody = malloc((size_t)ranks * sizeof *everybody);
    shared_name *names = malloc((size_t)ranks * sizeof *names), name = {""};
    struct timespec now;
    int good = everybody != NULL && names != NULL, all_good = 0;
    PMPI_Allreduce(&good, &all_good, 1, MPI_INT, MPI_MIN, all);
    if (!all_good) {
        free(everybody);
        free(names);
        return false;
    }
    PMPI_Allgather(own, (int)sizeof *own, MPI_BYTE, everybody, (int)sizeof *everybody, MPI_BYTE,
                   all);
    int leader = -1;
    uint32_t node_ranks = 0, self = 0;
    for (int i = 0; i < ranks; i++) {
        if (memcmp(&everybody[i], own, sizeof *own) != 0)
            continue;
        if (leader < 0)
            leader = i;
        if (i == rank)
            self = node_ranks;
        node_ranks++;
    }
    place->header.node_ranks = node_ranks;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (leader == rank)
        clump_node_count_create(&place->count, node_ranks,
                                (int64_t)now.tv_sec * 1000000000 + now.tv_nsec, name.text);
    PMPI_Allgather(&name, (int)sizeof name, MPI_BYTE, names, (int)sizeof name, MPI_BYTE, all);
    names[leader].text[CLUMP_SHARED_NAME - 1] = '\0';
    place->counted =
        names[leader].text[0] == '/' &&
        clump_node_count_join(&place->count, names[leader].text, node_ranks, self) == 0;
    PMPI_Barrier(all);
    if (leader == rank && name.text[0] == '/')
        clump_node_count_unlink(name.text);
    free(everybody);
    free(names);
    return true;
}

bool clump_place_find(clump_rank_place *place, MPI_Comm all)
{
    whereabouts own = {.boot = 0};
    char folder[PATH_MAX] = "", boot[64] = "";
    int rank = 0, ranks = 1, reason = 0;
    memset(place, 0, sizeof *place);
    PMPI_Comm_rank(all, &rank);
    PMPI_Comm_size(all, &ranks);
    if (rank == 0)
        reason = choose_folder(folder, place->claim);
    PMPI_Bcast(&reason, 1, MPI_INT, 0, all);
    PMPI_Bcast(folder, PATH_MAX, MPI_BYTE, 0, all);
    if (reason != 0) {
        if (rank == 0)
            dprintf(STDERR_FILENO, "clumpmodel record: %s: %s: nothing is recorded\n", folder,
                    strerror(reason));
        return false;
    }
    gethostname(own.host, sizeof own.host - 1);
    read_all("/proc/sys/kernel/random/boot_id", boot, sizeof boot - 1);
    own.boot = hash_text(UINT64_C(0xcbf29ce484222325), boot);
    own.group = geteuid();
    if (!collect(place, &own, rank, ranks, all))
        return false;

    char *program, *path = malloc(PATH_MAX + 32);
    place->header.rank = (uint32_t)rank;
    place->header.ranks = (uint32_t)ranks;
    place->header.boot = own.boot;
    place->header.error_ns = UINT64_MAX;
    place->header.command = command_line(&program);
    place->header.program = program;
    place->header.library = library_name();
    tidy(own.host);
    place->header.host = strdup(own.host);
    place->path = path;
    if (path == NULL || program == NULL || place->header.command == NULL ||
        place->header.library == NULL || place->header.host == NULL)
        return false;
    make_folder(folder);
    snprintf(path, PATH_MAX + 32, "%s/rank-%06d" CLUMP_RECORDING_SUFFIX, folder, rank);
    return true;
}

void clump_place_free(clump_rank_place *place)
{
    free((char *)place->header.command);
    free((char *)place->header.program);
    free((char *)place->header.library);
    free((char *)place->header.host);
    free(place->path);
    if (place->claim[0] != '\0')
        unlink(place->claim);
    memset(place, 0, sizeof *place);
}
