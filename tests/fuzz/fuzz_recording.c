/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Recordings that anybody made. The first byte says how:
 *   0  the rest is the file of a rank as it is; what mutates it mends most of its checksums
 *   1  the rest are blocks, each with a right checksum: type, length (2 bytes), what is in it; a whole account may follow
 *   2  the rest are calls of up to four ranks on two nodes, written by our own writer
 * What can be read has a report, whose numbers keep to what they mean; as a schedule it runs to its end, also if it is written and read
 * again; it can be drawn and exported.
 */

#include "model/simulation/kept_calls.h"
#include "recording/format.h"
#include "recording/recorded_calls.h"
#include "recording/report.h"
#include "recording/timeline.h"
#include "recording/trace_export.h"
#include "recording/writer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { RANKS = 4 };

static char folder[100];

static void check(bool good)
{
    if (!good)
        abort();
}

static void path_of(char path[200], unsigned rank)
{
    snprintf(path, 200, "%s/rank-%06u.clumprec", folder, rank);
}

static void make_folder(void)
{
    if (folder[0] == '\0') {
        snprintf(folder, sizeof folder, "%s/clump-fuzz-%ld",
                 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", (long)getpid());
        check(mkdir(folder, 0700) == 0);
    }
}

static void remove_files(void)
{
    char path[200];
    for (unsigned i = 0; i < RANKS; i++) {
        path_of(path, i);
        unlink(path);
    }
}

static clump_rank_header header_of(unsigned rank, unsigned ranks)
{
    return (clump_rank_header){.rank = rank,
                               .ranks = ranks,
                               .host = rank % 2 == 0 ? "even" : "odd",
                               .library = "MPICH 4.0.2",
                               .program = "program",
                               .command = "program",
                               .start_ns = 1000000,
                               .boot = rank % 2,
                               .error_ns = UINT64_MAX,
                               .node_ranks = 2};
}

static void write_raw(const uint8_t *data, size_t size)
{
    char path[200];
    path_of(path, 0);
    FILE *file = fopen(path, "wb");
    check(file != NULL);
    fwrite(data, 1, size, file);
    fclose(file);
}

static void write_block(FILE *file, unsigned type, const unsigned char *bytes, size_t length)
{
    unsigned char head[CLUMP_RECORDING_HEAD];
    clump_block_head(head, (clump_block_type)type, bytes, length);
    fwrite(head, 1, sizeof head, file);
    fwrite(bytes, 1, length, file);
}

static void write_account(FILE *file)
{
    clump_account *account = malloc(sizeof *account);
    check(account != NULL);
    clump_account_start(account, 0);
    const size_t length = clump_account_pack(account, NULL, 0) + 8;
    unsigned char *bytes = calloc(1, length);
    check(bytes != NULL);
    bytes[0] = 1; /* sequence */
    clump_account_pack(account, bytes + 1, length - 1);
    write_block(file, CLUMP_BLOCK_ACCOUNT, bytes, length);
    clump_account_free(account);
    free(account);
    free(bytes);
}

static void write_blocks(const uint8_t *data, size_t size)
{
    char path[200];
    unsigned char header[400];
    const clump_rank_header made = header_of(0, 2);
    path_of(path, 0);
    FILE *file = fopen(path, "wb");
    check(file != NULL);
    unsigned char first[CLUMP_RECORDING_FIRST] = CLUMP_RECORDING_MAGIC;
    first[8] = CLUMP_RECORDING_VERSION;
    fwrite(first, 1, sizeof first, file);
    write_block(file, CLUMP_BLOCK_HEADER, header, clump_header_pack(&made, header, sizeof header));
    while (size >= 3) {
        size_t length = data[1] | (size_t)data[2] << 8;
        const unsigned type = data[0] % 6;
        data += 3;
        size -= 3;
        length = length < size ? length : size;
        write_block(file, type, data, length);
        data += length;
        size -= length;
    }
    if (size > 0)
        write_account(file);
    fclose(file);
}

/* Bytes as they come; 0 after the last. */
typedef struct bytes {
    const uint8_t *at;
    size_t left;
} bytes;

static unsigned next(bytes *b)
{
    if (b->left == 0)
        return 0;
    b->left--;
    return *b->at++;
}

static clump_recorded_call make_call(bytes *b, double *now, clump_call_request requests[4],
                                     uint64_t *numbers)
{
    const clump_call_kind kind = (clump_call_kind)(next(b) % CLUMP_CALL_KINDS);
    const double begin = *now + next(b) * 1e-6;
    clump_recorded_call call = clump_call_of(kind, begin, begin + next(b) * 1e-6);
    const unsigned flags = next(b);
    *now = call.end;
    call.peer = (int)(flags % 6) - 1;
    call.peer_receive = (int)(flags / 6 % 6) - 1;
    call.tag = (int)(next(b) % 4) - 1;
    call.tag_receive = kind == CLUMP_CALL_SENDRECV ? (int)(next(b) % 4) - 1 : -1;
    call.bytes = (uint64_t)next(b) << next(b) % 48;
    call.bytes_received = (uint64_t)next(b) << next(b) % 48;
    call.communicator = flags & 128 ? next(b) % 3 : 0;
    call.nonblocking = clump_call_is_collective(kind) && (flags & 64) != 0;
    const bool starts = kind == CLUMP_CALL_ISEND || kind == CLUMP_CALL_IRECEIVE || call.nonblocking;
    call.requests = starts ? 1 : clump_call_completes(&call) ? next(b) % 5 : 0;
    if (call.requests > 4)
        call.requests = 4;
    for (uint32_t i = 0; i < call.requests; i++)
        requests[i] = (clump_call_request){
            .number = starts ? ++*numbers : next(b),
            .kind = starts ? (kind == CLUMP_CALL_ISEND      ? CLUMP_REQUEST_SEND
                              : kind == CLUMP_CALL_IRECEIVE ? CLUMP_REQUEST_RECEIVE
                                                            : CLUMP_REQUEST_COLLECTIVE)
                           : (clump_request_kind)(next(b) % CLUMP_REQUEST_KINDS),
            .peer = starts ? -1 : (int)(next(b) % 6) - 1,
            .tag = starts ? -1 : (int)(next(b) % 4) - 1,
            .bytes = starts ? 0 : next(b)};
    call.request = requests;
    return call;
}

static void write_calls(bytes b)
{
    static const uint32_t pair[] = {2, 0};
    const unsigned ranks = 1 + next(&b) % RANKS, each = 1 + next(&b);
    for (unsigned rank = 0; rank < ranks; rank++) {
        char path[200];
        clump_recording_writer *w = calloc(1, sizeof *w);
        const clump_rank_header header = header_of(rank, ranks);
        clump_call_request requests[4];
        uint64_t numbers = 0;
        double now = 0;
        path_of(path, rank);
        check(w != NULL && clump_writer_open(w, path, &header, 1 << 20) == 0);
        clump_writer_communicator(w, 1, 0, pair, ranks > 2 ? 2 : ranks > 1 ? 1 : 0);
        for (unsigned i = 0; i < each && b.left > 0; i++) {
            const clump_recorded_call call = make_call(&b, &now, requests, &numbers);
            clump_writer_add(w, &call);
        }
        clump_writer_close(w, (int)(next(&b) % 3));
        free(w);
    }
}

static void check_report(const clump_report *r)
{
    for (size_t i = 0; i < r->rank_count; i++) {
        const clump_report_rank *k = &r->ranks[i];
        check(k->wall >= 0 && k->computing >= 0 && k->in_mpi >= 0 && k->waiting >= 0);
        check(k->waiting_low <= k->waiting * (1 + 1e-9) + 1e-12);
        check(k->waiting <= k->waiting_high * (1 + 1e-9) + 1e-12);
        check(k->transferring >= -1e-9 * (1 + k->in_mpi) && k->node >= 0 &&
              (size_t)k->node < r->node_count);
    }
    for (size_t i = 0; i < r->traffic_count; i++)
        check(r->traffic[i].messages > 0 && r->traffic[i].bytes >= 0);
    for (size_t i = 0; i < r->collision_count; i++)
        check(r->collisions[i].seconds >= 0 && r->collisions[i].q <= (int64_t)r->rank_count);
}

/* ---- schedules, exports, timelines */

typedef struct text {
    char *bytes;
    size_t size, room;
} text;

static bool collect(void *context, const char *bytes, size_t size)
{
    text *t = context;
    if (t->size + size > t->room) {
        t->room = 2 * (t->size + size);
        t->bytes = realloc(t->bytes, t->room);
        check(t->bytes != NULL);
    }
    memcpy(t->bytes + t->size, bytes, size);
    t->size += size;
    return true;
}

static double run_schedule(const clump_schedule *schedule)
{
    const clump_cluster machine = {.node = {.processors = 2, .nics = 1},
                                   .network = {5, 1, 1.5, 4, 0.01},
                                   .shared_memory = {1, 0.5, 0.5, 1, 0.001},
                                   .memory_penalty = 1};
    clump_schedule_result result;
    check(clump_schedule_run(schedule, &machine, NULL, &result, NULL) == CLUMP_OK);
    return result.time_us;
}

static void check_schedule(const char *calls, size_t ranks, clump_mpi_library library)
{
    const clump_kept_machine machine = {
        .library = library, .processors = 2, .most_operations = 10000000};
    clump_schedule *schedule = NULL, *again = NULL;
    text t = {NULL, 0, 0};
    check(clump_kept_schedule(calls, ranks, &machine, &schedule, NULL, NULL) == CLUMP_OK);
    const double time = run_schedule(schedule);
    check(clump_schedule_write(schedule, collect, &t));
    check(clump_schedule_parse(t.bytes, t.size, &again, NULL) == CLUMP_OK);
    const double second = run_schedule(again);
    check(time <= second && time >= second);
    clump_schedule_free(again);
    clump_schedule_free(schedule);
    free(t.bytes);
}

static void check_calls(clump_recording *recording)
{
    const recorded_calls_options options = {.most_operations = 1000000};
    recorded_calls_report report;
    char message[CLUMP_RECORDING_TEXT] = "", *calls;
    const size_t ranks = clump_recording_describe(recording).ranks;
    const clump_recording_status status =
        recorded_calls_read(recording, &options, &calls, &report, message);
    check((status == CLUMP_RECORDING_OK) == (calls != NULL));
    check(status == CLUMP_RECORDING_OK || message[0] != '\0');
    if (calls == NULL)
        return;
    check_schedule(calls, ranks, CLUMP_MPI_OPEN_MPI);
    check_schedule(calls, ranks, CLUMP_MPI_MPICH);
    free(calls);
}

static void check_views(void)
{
    clump_recording *recording = NULL;
    clump_timeline timeline;
    text t = {NULL, 0, 0};
    if (clump_recording_open(folder, &recording) == CLUMP_RECORDING_OK) {
        check_calls(recording);
        clump_trace_export_perfetto(recording, collect, &t);
        if (clump_timeline_make(recording, 50, RANKS, &timeline) == CLUMP_RECORDING_OK)
            clump_timeline_free(&timeline);
    }
    clump_recording_close(recording);
    free(t.bytes);
}

/* Blocks with the checksums of what is in them now. */
static void mend(uint8_t *file, size_t size)
{
    size_t at = CLUMP_RECORDING_FIRST;
    while (at + CLUMP_RECORDING_HEAD <= size) {
        uint64_t type = 0, length = 0;
        memcpy(&type, file + at + 4, 4);
        memcpy(&length, file + at + 8, 8);
        const size_t left = size - at - CLUMP_RECORDING_HEAD;
        if (length > left)
            length = left;
        clump_block_head(file + at, (clump_block_type)type, file + at + CLUMP_RECORDING_HEAD,
                         (size_t)length);
        at += CLUMP_RECORDING_HEAD + (size_t)length;
    }
}

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    const size_t made = LLVMFuzzerMutate(data, size, room);
    if (made > 0 && data[0] % 3 == 0 && seed % 8 != 0)
        mend(data + 1, made - 1);
    return made;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char message[CLUMP_RECORDING_TEXT];
    clump_report report;
    if (size < 1)
        return 0;
    make_folder();
    remove_files();
    if (data[0] % 3 == 0)
        write_raw(data + 1, size - 1);
    else if (data[0] % 3 == 1)
        write_blocks(data + 1, size - 1);
    else
        write_calls((bytes){data + 1, size - 1});
    const clump_recording_status status = clump_report_read(folder, NULL, &report, message);
    if (status == CLUMP_RECORDING_OK)
        check_report(&report);
    else
        check(message[0] != '\0');
    clump_report_release(&report);
    check_views();
    remove_files();
    return 0;
}
