/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/recording.h"
#include "recording/call_unpack.h"
#include "recording/rank_file.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct numbering {
    uint32_t local, number; /* of a rank, of the whole recording */
} numbering;

typedef struct rank_entry {
    clump_rank_file *file; /* some 30 KB; NULL: it is missing */
    size_t node;
    double start;
    numbering *numbers; /* in the order of `local` */
    size_t number_count;
} rank_entry;

struct clump_recording {
    char message[CLUMP_RECORDING_TEXT];
    char *folder;
    rank_entry *ranks;
    size_t count;
    const char **hosts;
    size_t nodes;
    clump_recording_members *communicators;
    size_t communicator_count;
    uint32_t *world;
    char start[32];
    clump_recording_about about;
};

struct clump_recording_calls {
    clump_recording *recording;
    const rank_entry *rank;
    clump_block_reader blocks;
    clump_unpacker unpacker;
    clump_call_state state;
    clump_call_room room;
    bool in_block;
};

static clump_recording_status no_memory(clump_recording *recording)
{
    snprintf(recording->message, sizeof recording->message, "out of memory");
    return CLUMP_RECORDING_NO_MEMORY;
}

/* ---- files of a folder */

/* The rank that a file's name has, or -1: rank-000012.clumprec. */
static long name_rank(const char *name)
{
    char *end;
    if (strncmp(name, "rank-", 5) != 0 || name[5] < '0' || name[5] > '9')
        return -1;
    errno = 0;
    const long rank = strtol(name + 5, &end, 10);
    return errno == 0 && strcmp(end, CLUMP_RECORDING_SUFFIX) == 0 && rank < 1L << 24 ? rank : -1;
}

/* Keep a file that was read; it says itself of how many ranks it is one. */
static clump_recording_status take_rank(clump_recording *recording, clump_rank_file *file,
                                        long named)
{
    const clump_rank_header *h = &file->header;
    if (recording->ranks == NULL) {
        recording->ranks = calloc(h->ranks, sizeof *recording->ranks);
        if (recording->ranks == NULL)
            return no_memory(recording);
        recording->count = h->ranks;
    }
    char found[80], expected[80];
    if (h->ranks != recording->count || (long)h->rank != named) {
        snprintf(found, sizeof found, "rank %" PRIu32 " of %" PRIu32, h->rank, h->ranks);
        snprintf(expected, sizeof expected, "rank %ld of %zu, as the other files have it", named,
                 recording->count);
        return clump_rank_file_damage(recording->message, file->path, CLUMP_RECORDING_FIRST, found,
                                      expected);
    }
    if (recording->ranks[h->rank].file != NULL) {
        snprintf(recording->message, sizeof recording->message,
                 "%.200s: found rank %" PRIu32 " twice, expected one file of each", file->path,
                 h->rank);
        return CLUMP_RECORDING_INPUT;
    }
    recording->ranks[h->rank].file = file;
    return CLUMP_RECORDING_OK;
}

static clump_recording_status read_files(clump_recording *recording, DIR *folder)
{
    struct dirent *entry;
    clump_recording_status status = CLUMP_RECORDING_OK;
    while (status == CLUMP_RECORDING_OK && (entry = readdir(folder)) != NULL) {
        const long rank = name_rank(entry->d_name);
        if (rank < 0)
            continue;
        const size_t length = strlen(recording->folder) + strlen(entry->d_name) + 2;
        char *path = malloc(length);
        if (path == NULL)
            return no_memory(recording);
        snprintf(path, length, "%s/%s", recording->folder, entry->d_name);
        clump_rank_file *file = malloc(sizeof *file);
        if (file == NULL) {
            free(path);
            return no_memory(recording);
        }
        status = clump_rank_file_read(file, path, recording->message);
        if (status == CLUMP_RECORDING_OK)
            status = take_rank(recording, file, rank);
        if (status != CLUMP_RECORDING_OK) {
            clump_rank_file_free(file);
            free(file);
        }
        free(path);
    }
    return status;
}

/* ---- clocks, nodes */

/*
 * Starts of ranks on one scale. Ranks of a node share a steady clock; between nodes there is the clock of the day, put right by
 * what messages told at the start.
 */
static void set_starts(clump_recording *recording)
{
    const clump_rank_header *base = NULL;
    for (size_t i = 0; i < recording->count && base == NULL; i++)
        if (recording->ranks[i].file != NULL)
            base = &recording->ranks[i].file->header;
    double least = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < recording->count; i++) {
            rank_entry *rank = &recording->ranks[i];
            if (rank->file == NULL)
                continue;
            const clump_rank_header *h = &rank->file->header;
            if (pass == 1) {
                rank->start -= least;
                continue;
            }
            if (h->boot == base->boot)
                rank->start = (double)(h->steady_ns - base->steady_ns) * 1e-9;
            else
                rank->start =
                    (double)(h->start_ns + h->offset_ns - (base->start_ns + base->offset_ns)) *
                    1e-9;
            if (rank->start < least)
                least = rank->start;
        }
    recording->about.start_ns =
        base->start_ns + (int64_t)(base->offset_ns) + (int64_t)(least * 1e9);
}

/* Move an account to the recording's time. */
static void shift_account(clump_account *account, double by)
{
    account->begin += by;
    account->end += by;
    account->trace_end += by;
}

static clump_recording_status find_nodes(clump_recording *recording)
{
    recording->hosts = calloc(recording->count, sizeof *recording->hosts);
    if (recording->hosts == NULL)
        return no_memory(recording);
    size_t last = 0;
    for (size_t i = 0; i < recording->count; i++) {
        rank_entry *rank = &recording->ranks[i];
        if (rank->file == NULL)
            continue;
        const char *host = rank->file->header.host;
        size_t node = last; /* mostly that of the rank before */
        if (node >= recording->nodes || strcmp(recording->hosts[node], host) != 0)
            for (node = 0; node < recording->nodes; node++)
                if (strcmp(recording->hosts[node], host) == 0)
                    break;
        if (node == recording->nodes)
            recording->hosts[recording->nodes++] = host;
        rank->node = last = node;
    }
    return CLUMP_RECORDING_OK;
}

/* ---- communicators: those with the same members and ordinal are the same */

static int compare_numbers(const void *a, const void *b)
{
    const uint32_t x = ((const numbering *)a)->local, y = ((const numbering *)b)->local;
    return (x > y) - (x < y);
}

static uint64_t members_hash(const uint32_t *ranks, size_t count, uint32_t ordinal)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ ordinal;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ ranks[i]) * UINT64_C(0x100000001b3) ^ hash >> 32;
    return hash;
}

/* false without memory */
static bool find_members(clump_recording *recording, clump_table *by_hash,
                         const clump_rank_communicator *c, uint32_t *number)
{
    uint64_t hash = members_hash(c->ranks, c->count, c->ordinal);
    while ((*number = clump_table_get(by_hash, hash, 0)) != CLUMP_TABLE_NONE) {
        const clump_recording_members *m = &recording->communicators[*number];
        if (m->count == c->count && m->ordinal == c->ordinal &&
            (c->count == 0 || memcmp(m->ranks, c->ranks, c->count * sizeof *c->ranks) == 0))
            return true;
        hash++;
    }
    *number = (uint32_t)recording->communicator_count++;
    recording->communicators[*number] = (clump_recording_members){c->ranks, c->count, c->ordinal};
    return clump_table_put(by_hash, hash, 0, *number);
}

static uint32_t number_of(const rank_entry *rank, uint32_t local)
{
    const numbering key = {.local = local};
    if (local == CLUMP_COMMUNICATOR_WORLD)
        return local;
    const numbering *found =
        rank->number_count == 0
            ? NULL
            : bsearch(&key, rank->numbers, rank->number_count, sizeof key, compare_numbers);
    return found != NULL ? found->number : CLUMP_COMMUNICATOR_UNKNOWN;
}

/* Communicators of a rank get numbers of the whole recording; false without memory. */
static bool unite_rank(clump_recording *recording, clump_table *by_hash, rank_entry *rank)
{
    clump_rank_file *file = rank->file;
    if (file == NULL)
        return true;
    rank->numbers = malloc((file->communicator_count + 1) * sizeof *rank->numbers);
    if (rank->numbers == NULL)
        return false;
    rank->number_count = file->communicator_count;
    for (size_t k = 0; k < file->communicator_count; k++) {
        rank->numbers[k].local = file->communicators[k].number;
        if (!find_members(recording, by_hash, &file->communicators[k], &rank->numbers[k].number))
            return false;
    }
    qsort(rank->numbers, rank->number_count, sizeof *rank->numbers, compare_numbers);
    for (size_t k = 0; k < file->account.collective_count; k++) {
        clump_account_collective *row = &file->account.collectives[k];
        row->communicator = number_of(rank, row->communicator);
    }
    return true;
}

static clump_recording_status unite_communicators(clump_recording *recording)
{
    clump_table by_hash = {.slots = NULL};
    size_t all = 1;
    for (size_t i = 0; i < recording->count; i++)
        all += recording->ranks[i].file != NULL ? recording->ranks[i].file->communicator_count : 0;
    recording->communicators = calloc(all, sizeof *recording->communicators);
    recording->world = malloc(recording->count * sizeof *recording->world);
    bool good = recording->communicators != NULL && recording->world != NULL;
    for (size_t i = 0; good && i < recording->count; i++)
        recording->world[i] = (uint32_t)i;
    if (good)
        recording->communicators[0] =
            (clump_recording_members){recording->world, recording->count, 0};
    recording->communicator_count = 1;
    for (size_t i = 0; good && i < recording->count; i++)
        good = unite_rank(recording, &by_hash, &recording->ranks[i]);
    clump_table_clear(&by_hash);
    return good ? CLUMP_RECORDING_OK : no_memory(recording);
}

/* ---- opening */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static void describe(clump_recording *recording)
{
    clump_recording_about *about = &recording->about;
    const clump_rank_file *first = NULL;
    about->ranks = recording->count;
    about->nodes = recording->nodes;
    about->communicators = recording->communicator_count;
    about->traced_all = true;
    for (size_t i = 0; i < recording->count; i++) {
        const clump_rank_file *file = recording->ranks[i].file;
        if (file == NULL) {
            about->missing++;
            about->traced_all = false;
            continue;
        }
        const clump_account *account = &file->account;
        if (first == NULL)
            first = file;
        about->cut += file->end == CLUMP_RECORDING_CUT;
        about->calls += account->calls;
        about->traced_entries += file->traced_entries;
        if (account->entries != file->traced_entries)
            about->traced_all = false;
        if (account->end > about->seconds)
            about->seconds = account->end;
    }
    about->program = base_name(first->header.program);
    about->command = first->header.command;
    about->library = first->header.library;
    const time_t seconds = (time_t)(about->start_ns / 1000000000);
    struct tm utc;
    if (gmtime_r(&seconds, &utc) == NULL ||
        strftime(recording->start, sizeof recording->start, "%Y-%m-%dT%H:%M:%SZ", &utc) == 0)
        recording->start[0] = '\0';
    about->start = recording->start;
}

static clump_recording_status open_folder(clump_recording *recording)
{
    DIR *folder = opendir(recording->folder);
    if (folder == NULL) {
        snprintf(recording->message, sizeof recording->message, "%.300s: %s", recording->folder,
                 errno == ENOTDIR ? "found a file, expected the folder of a recording"
                                  : strerror(errno));
        return CLUMP_RECORDING_INPUT;
    }
    clump_recording_status status = read_files(recording, folder);
    closedir(folder);
    if (status != CLUMP_RECORDING_OK)
        return status;
    if (recording->count == 0) {
        snprintf(recording->message, sizeof recording->message,
                 "%.300s: found no file rank-NNNNNN%s, expected the folder that 'clumpmodel "
                 "record' made",
                 recording->folder, CLUMP_RECORDING_SUFFIX);
        return CLUMP_RECORDING_INPUT;
    }
    set_starts(recording);
    for (size_t i = 0; i < recording->count; i++)
        if (recording->ranks[i].file != NULL)
            shift_account(&recording->ranks[i].file->account, recording->ranks[i].start);
    status = find_nodes(recording);
    if (status == CLUMP_RECORDING_OK)
        status = unite_communicators(recording);
    if (status == CLUMP_RECORDING_OK)
        describe(recording);
    return status;
}

clump_recording_status clump_recording_open(const char *folder, clump_recording **recording)
{
    *recording = calloc(1, sizeof **recording);
    if (*recording == NULL)
        return CLUMP_RECORDING_NO_MEMORY;
    (*recording)->folder = strdup(folder);
    if ((*recording)->folder == NULL)
        return no_memory(*recording);
    return open_folder(*recording);
}

void clump_recording_close(clump_recording *recording)
{
    if (recording == NULL)
        return;
    for (size_t i = 0; i < recording->count; i++) {
        if (recording->ranks[i].file != NULL)
            clump_rank_file_free(recording->ranks[i].file);
        free(recording->ranks[i].file);
        free(recording->ranks[i].numbers);
    }
    free(recording->ranks);
    free(recording->hosts);
    free(recording->communicators);
    free(recording->world);
    free(recording->folder);
    free(recording);
}

const char *clump_recording_message(const clump_recording *recording)
{
    return recording != NULL ? recording->message : "out of memory";
}

clump_recording_about clump_recording_describe(const clump_recording *recording)
{
    return recording->about;
}

clump_recording_rank clump_recording_rank_of(const clump_recording *recording, size_t rank)
{
    const rank_entry *entry = &recording->ranks[rank];
    const clump_rank_file *file = entry->file;
    if (file == NULL)
        return (clump_recording_rank){.missing = true};
    return (clump_recording_rank){.node = entry->node,
                                  .host = file->header.host,
                                  .pid = file->header.pid,
                                  .start = entry->start,
                                  .end = file->end,
                                  .cut_at = file->cut_at,
                                  .file = file->path,
                                  .account = &file->account,
                                  .traced_entries = file->traced_entries};
}

const char *clump_recording_host(const clump_recording *recording, size_t node)
{
    return recording->hosts[node];
}

clump_recording_members clump_recording_communicator(const clump_recording *recording,
                                                     uint32_t number)
{
    return recording->communicators[number];
}

/* ---- traced calls */

clump_recording_status clump_recording_calls_open(clump_recording *recording, size_t rank,
                                                  clump_recording_calls **calls)
{
    *calls = calloc(1, sizeof **calls);
    if (*calls == NULL)
        return no_memory(recording);
    (*calls)->recording = recording;
    (*calls)->rank = &recording->ranks[rank];
    if (recording->ranks[rank].file == NULL)
        return CLUMP_RECORDING_OK;
    const clump_recording_status status =
        clump_blocks_open(&(*calls)->blocks, recording->ranks[rank].file->path, recording->message);
    if (status != CLUMP_RECORDING_OK) {
        free(*calls);
        *calls = NULL;
    }
    return status;
}

int clump_recording_next(clump_recording_calls *calls, clump_recorded_call *call)
{
    clump_recording *recording = calls->recording;
    clump_recording_status status;
    for (;;) {
        if (!calls->in_block) {
            if (calls->blocks.stream == NULL || calls->blocks.at >= calls->rank->file->cut_at)
                return 0;
            const int next = clump_blocks_next(&calls->blocks, &status, recording->message);
            if (next != 1)
                return next;
            if (calls->blocks.type != CLUMP_BLOCK_CALLS)
                continue;
            if (!calls->blocks.whole) {
                clump_rank_file_damage(recording->message, calls->blocks.path,
                                       calls->blocks.bytes_at, "a block with another checksum",
                                       "what was there a moment ago: somebody writes to the file");
                return -1;
            }
            calls->in_block = true;
            memset(&calls->state, 0, sizeof calls->state);
            calls->unpacker =
                (clump_unpacker){.bytes = calls->blocks.bytes, .length = calls->blocks.length};
        }
        const int got = clump_call_unpack(&calls->unpacker, &calls->state,
                                          calls->rank->file->header.ranks, &calls->room, call);
        if (got == 0) {
            calls->in_block = false;
            continue;
        }
        if (got == -2)
            no_memory(recording);
        else if (got < 0)
            clump_rank_file_damage(recording->message, calls->blocks.path,
                                   calls->blocks.bytes_at + calls->unpacker.bad_at,
                                   "a value that cannot be", "a call: the file is damaged");
        if (got < 0)
            return -1;
        call->begin += calls->rank->start;
        call->end += calls->rank->start;
        call->communicator = number_of(calls->rank, call->communicator);
        return 1;
    }
}

void clump_recording_calls_close(clump_recording_calls *calls)
{
    if (calls == NULL)
        return;
    clump_blocks_close(&calls->blocks);
    free(calls->room.request);
    free(calls);
}
