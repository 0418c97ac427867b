/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recordings: what is written is read; files that end anywhere, or were changed anywhere; totals against sums made by hand. */
#include "recording/pack.h"
#include "recording/recording.h"
#include "recording/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/unit.h"

static char folder[64];

static int make(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/clump-recording-XXXXXX");
    return mkdtemp(folder) == NULL;
}

static void path_of(int rank, char path[128])
{
    snprintf(path, 128, "%s/rank-%06d.clumprec", folder, rank);
}

static int clean(void **state)
{
    char path[128];
    (void)state;
    for (int i = 0; i < 8; i++) {
        path_of(i, path);
        unlink(path);
    }
    return rmdir(folder);
}

static clump_rank_header header_of(uint32_t rank, uint32_t ranks)
{
    return (clump_rank_header){.rank = rank,
                               .ranks = ranks,
                               .host = rank < 2 ? "node-a" : "node-b",
                               .pid = 1000 + rank,
                               .library = "MPICH 4.0.2",
                               .program = "/opt/bin/app",
                               .command = "app 'two words'",
                               .start_ns = INT64_C(1795366089000000000) + rank * 1000000,
                               .steady_ns = INT64_C(5000000000) + rank * 1000000,
                               .boot = rank < 2 ? 7 : 8,
                               .error_ns = UINT64_MAX,
                               .thread_level = 1,
                               .node_ranks = 2};
}

static uint64_t random_state = 12345;

static uint64_t draw(uint64_t below)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return below == 0 ? 0 : random_state % below;
}

/* Calls of all kinds with times in whole ns, as the preloaded library has them. */
enum { CALLS = 3000, REQUESTS = 40 };
static clump_recorded_call made[CALLS];
static clump_call_request requests[CALLS][REQUESTS];

static void make_calls(uint32_t ranks)
{
    int64_t now = 1000;
    uint64_t number = 0;
    for (int i = 0; i < CALLS; i++) {
        clump_recorded_call *c = &made[i];
        const int64_t begin = now + (int64_t)draw(100000),
                      end = begin + (int64_t)draw(1u << draw(24));
        *c = clump_call_of((clump_call_kind)draw(CLUMP_CALL_KINDS), (double)begin * 1e-9,
                           (double)end * 1e-9);
        c->processor = (double)(draw(3) == 0 ? (uint64_t)(begin - now) : draw(50000)) * 1e-9;
        c->peer = (int)draw(ranks + 1) - 1;
        c->peer_receive = draw(4) == 0 ? (int)draw(ranks) : -1;
        c->tag = (int)draw(1u << draw(30)) - 1;
        if (c->kind == CLUMP_CALL_SENDRECV)
            c->tag_receive = draw(2) == 0 ? c->tag : (int)draw(1u << draw(30)) - 1;
        c->bytes = draw(2) * draw(UINT64_C(1) << draw(40));
        c->bytes_received = draw(2) * draw(UINT64_C(1) << draw(62));
        c->calls = draw(10) == 0 ? (uint32_t)draw(1000) : 1;
        c->nonblocking = draw(5) == 0;
        c->thread = draw(20) == 0 ? (uint32_t)draw(4) : 0;
        c->requests = draw(3) == 0 ? (uint32_t)draw(REQUESTS) : 0;
        c->request = requests[i];
        for (uint32_t k = 0; k < c->requests; k++) {
            clump_call_request *r = &requests[i][k];
            *r = (clump_call_request){.number =
                                          clump_call_completes(c) ? 1 + draw(number + 1) : ++number,
                                      .kind = (clump_request_kind)draw(CLUMP_REQUEST_KINDS),
                                      .peer = -1,
                                      .tag = -1};
            if (clump_call_completes(c) && r->kind == CLUMP_REQUEST_RECEIVE) {
                r->peer = (int)draw(ranks);
                r->tag = (int)draw(100);
                r->bytes = draw(1u << 20);
            }
        }
        now = end;
    }
}

static void write_rank(uint32_t rank, uint32_t ranks, int calls, uint64_t limit, bool end)
{
    char path[128];
    clump_recording_writer writer;
    const clump_rank_header header = header_of(rank, ranks);
    const uint32_t members[3] = {ranks - 1, 0, 1};
    path_of((int)rank, path);
    assert_int_equal(clump_writer_open(&writer, path, &header, limit), 0);
    assert_true(clump_account_count_q(&writer.account, 1));
    clump_account_q(&writer.account, 1, 0.25);
    clump_writer_communicator(&writer, 5 + rank, 0, members, ranks);
    for (int i = 0; i < calls; i++) {
        clump_recorded_call call = made[i];
        call.communicator = i % 3 == 0 ? 5 + rank : 0;
        clump_writer_add(&writer, &call);
        if (i % 500 == 499)
            clump_writer_flush(&writer);
    }
    if (end)
        clump_writer_close(&writer, CLUMP_RECORDING_EXITED);
    else
        clump_writer_drop(&writer);
}

static void assert_same(const clump_recorded_call *a, const clump_recorded_call *b, double shift)
{
    assert_int_equal(a->kind, b->kind);
    assert_float_equal(a->begin, b->begin + shift, 1e-9);
    assert_float_equal(a->end, b->end + shift, 1e-9);
    assert_float_equal(a->processor, b->processor, 1e-9);
    assert_int_equal(a->peer, b->peer);
    assert_int_equal(a->peer_receive, b->peer_receive);
    assert_int_equal(a->tag, b->tag);
    assert_int_equal(a->tag_receive, b->tag_receive);
    assert_true(a->bytes == b->bytes && a->bytes_received == b->bytes_received);
    assert_int_equal(a->calls, b->calls);
    assert_int_equal(a->nonblocking, b->nonblocking);
    assert_int_equal(a->thread, b->thread);
    assert_int_equal(a->requests, b->requests);
    for (uint32_t k = 0; k < a->requests; k++) {
        const clump_call_request *x = &a->request[k], *y = &b->request[k];
        assert_true(x->number == y->number && x->bytes == y->bytes);
        assert_int_equal(x->kind, y->kind);
        assert_int_equal(x->peer, y->peer);
        assert_int_equal(x->tag, y->tag);
    }
}

TEST_WITH(all_that_is_written_is_read, make, clean)
{
    clump_recording *recording;
    make_calls(3);
    for (uint32_t i = 0; i < 3; i++)
        write_rank(i, 3, CALLS, UINT64_MAX, i != 1);
    if (clump_recording_open(folder, &recording) != CLUMP_RECORDING_OK)
        fail_msg("%s", clump_recording_message(recording));
    const clump_recording_about about = clump_recording_describe(recording);
    assert_int_equal(about.ranks, 3);
    assert_int_equal(about.nodes, 2);
    assert_string_equal(about.program, "app");
    assert_string_equal(about.command, "app 'two words'");
    assert_string_equal(about.library, "MPICH 4.0.2");
    assert_string_equal(about.start, "2026-11-22T16:48:09Z");
    assert_int_equal(about.cut, 1);
    assert_int_equal(about.missing, 0);
    assert_int_equal(about.communicators, 2); /* three numbers, one communicator */
    const clump_recording_members members = clump_recording_communicator(recording, 1);
    assert_int_equal(members.count, 3);
    assert_int_equal(members.ranks[0], 2);
    assert_string_equal(clump_recording_host(recording, 1), "node-b");
    for (size_t i = 0; i < 3; i++) {
        const clump_recording_rank rank = clump_recording_rank_of(recording, i);
        assert_int_equal(rank.node, i / 2);
        assert_int_equal(rank.end, i == 1 ? CLUMP_RECORDING_CUT : CLUMP_RECORDING_EXITED);
        assert_float_equal(rank.start, (double)i * 1e-3, 1e-9);
        assert_float_equal(rank.account->q_seconds[1], 0.25, 0);
        clump_recording_calls *calls;
        clump_recorded_call call;
        assert_int_equal(clump_recording_calls_open(recording, i, &calls), CLUMP_RECORDING_OK);
        for (int k = 0; k < CALLS; k++) {
            assert_int_equal(clump_recording_next(calls, &call), 1);
            assert_same(&call, &made[k], (double)i * 1e-3);
            assert_int_equal(call.communicator, k % 3 == 0);
        }
        assert_int_equal(clump_recording_next(calls, &call), 0);
        clump_recording_calls_close(calls);
    }
    clump_recording_close(recording);
}

static unsigned char *read_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *length = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = malloc(*length);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *length, file), *length);
    fclose(file);
    return bytes;
}

static void write_file(const char *path, const unsigned char *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    fclose(file);
}

static uint64_t count_calls(clump_recording *recording)
{
    clump_recording_calls *calls;
    clump_recorded_call call;
    uint64_t count = 0;
    int got;
    assert_int_equal(clump_recording_calls_open(recording, 0, &calls), CLUMP_RECORDING_OK);
    while ((got = clump_recording_next(calls, &call)) == 1)
        count++;
    assert_int_equal(got, 0);
    clump_recording_calls_close(calls);
    return count;
}

/* Wherever a file is cut off: either there is nothing of use, and the message names file and byte, or whole blocks are read. */
TEST_WITH(files_that_are_cut_off, make, clean)
{
    char path[128];
    size_t length;
    uint64_t last = 0;
    make_calls(1);
    write_rank(0, 1, 1200, UINT64_MAX, true);
    path_of(0, path);
    unsigned char *bytes = read_file(path, &length);
    for (size_t cut = 0; cut < length; cut += cut < 300 || cut > length - 300 ? 1 : 97) {
        clump_recording *recording;
        write_file(path, bytes, cut);
        const clump_recording_status status = clump_recording_open(folder, &recording);
        if (status == CLUMP_RECORDING_OK) {
            assert_int_equal(clump_recording_rank_of(recording, 0).end, CLUMP_RECORDING_CUT);
            const uint64_t count = count_calls(recording);
            assert_true(count >= last && count <= 1200);
            last = count;
        } else {
            assert_int_equal(status, CLUMP_RECORDING_INPUT);
            assert_non_null(strstr(clump_recording_message(recording), path));
            if (strstr(clump_recording_message(recording), "byte ") == NULL)
                fail_msg("cut at %zu: %s", cut, clump_recording_message(recording));
            assert_int_equal(last, 0);
        }
        clump_recording_close(recording);
    }
    assert_int_equal(last, 1200);
    free(bytes);
}

/* A byte that was changed is noticed, but in an account that is not the last one. */
TEST_WITH(files_that_were_changed, make, clean)
{
    char path[128];
    size_t length, unnoticed = 0;
    make_calls(1);
    write_rank(0, 1, 1200, UINT64_MAX, true);
    path_of(0, path);
    unsigned char *bytes = read_file(path, &length);
    for (size_t at = 0; at < length; at += at < 400 ? 1 : 131) {
        clump_recording *recording;
        bytes[at] ^= 0x55;
        write_file(path, bytes, length);
        if (clump_recording_open(folder, &recording) == CLUMP_RECORDING_OK)
            unnoticed++;
        else
            assert_non_null(strstr(clump_recording_message(recording), path));
        clump_recording_close(recording);
        bytes[at] ^= 0x55;
    }
    /* Two accounts of 32 KiB are all that may be bad: the other one counts. The first of them begins before byte 400. */
    if (unnoticed > 2 * 32768 / 131 + 400)
        fail_msg("%zu changes were not noticed", unnoticed);
    free(bytes);
}

/* Numbers that cannot be, with checksums that are right: nothing may go wrong that a sanitizer sees. */
TEST_WITH(blocks_that_lie, make, clean)
{
    char path[128];
    size_t length;
    make_calls(2);
    write_rank(0, 2, 300, UINT64_MAX, true);
    path_of(0, path);
    unsigned char *bytes = read_file(path, &length);
    unsigned char *copy = malloc(length);
    assert_non_null(copy);
    for (int i = 0; i < 3000; i++) {
        clump_recording *recording;
        memcpy(copy, bytes, length);
        for (size_t at = CLUMP_RECORDING_FIRST; at + CLUMP_RECORDING_HEAD < length;) {
            uint64_t size = 0;
            for (int k = 0; k < 8; k++)
                size |= (uint64_t)copy[at + 8 + (size_t)k] << (8 * k);
            unsigned char *inside = copy + at + CLUMP_RECORDING_HEAD;
            const size_t near = size < 4000 ? (size_t)size : 4000;
            for (int k = 0; k < 2; k++)
                inside[draw(near)] = (unsigned char)draw(256);
            clump_block_head(copy + at, (clump_block_type)copy[at + 4], inside, (size_t)size);
            at += CLUMP_RECORDING_HEAD + (size_t)size;
        }
        write_file(path, copy, length);
        if (clump_recording_open(folder, &recording) == CLUMP_RECORDING_OK)
            count_calls(recording);
        clump_recording_close(recording);
    }
    free(copy);
    free(bytes);
}

TEST_WITH(traces_end_at_their_limit, make, clean)
{
    clump_recording *recording;
    make_calls(1);
    write_rank(0, 1, CALLS, 1, true); /* one block */
    if (clump_recording_open(folder, &recording) != CLUMP_RECORDING_OK)
        fail_msg("%s", clump_recording_message(recording));
    const clump_recording_about about = clump_recording_describe(recording);
    assert_int_equal(clump_recording_rank_of(recording, 0).account->entries, CALLS);
    assert_true(about.traced_entries > 0 && about.traced_entries < CALLS && !about.traced_all);
    assert_int_equal(count_calls(recording), about.traced_entries);
    assert_int_equal(clump_recording_rank_of(recording, 0).account->traced_entries,
                     about.traced_entries);
    clump_recording_close(recording);
}

/* No more may be written: totals arrive all the same. */
TEST_WITH(disks_that_are_full, make, clean)
{
    clump_recording *recording;
    clump_recording_writer writer;
    char path[128];
    const clump_rank_header header = header_of(0, 1);
    struct rlimit before, little = {80000, 80000};
    make_calls(1);
    path_of(0, path);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    little.rlim_max = before.rlim_max;
    assert_int_equal(clump_writer_open(&writer, path, &header, UINT64_MAX), 0);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
    for (int i = 0; i < CALLS; i++)
        clump_writer_add(&writer, &made[i]);
    clump_writer_close(&writer, CLUMP_RECORDING_FINALIZED);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    if (clump_recording_open(folder, &recording) != CLUMP_RECORDING_OK)
        fail_msg("%s", clump_recording_message(recording));
    const clump_account *account = clump_recording_rank_of(recording, 0).account;
    assert_int_equal(account->entries, CALLS);
    assert_int_equal(account->write_error, EFBIG);
    assert_true(account->traced_entries < CALLS);
    assert_int_equal(count_calls(recording), account->traced_entries);
    clump_recording_close(recording);
}

/* Not even room for the totals: no file, so that the other ranks can be read. */
TEST_WITH(disks_without_room, make, clean)
{
    clump_recording_writer writer;
    char path[128];
    const clump_rank_header header = header_of(0, 1);
    struct rlimit before, little;
    path_of(0, path);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_IGN);
    for (rlim_t room = 0; room < 80000; room += 7919) {
        little = (struct rlimit){room, before.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
        const int reason = clump_writer_open(&writer, path, &header, UINT64_MAX);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_int_equal(access(path, F_OK), reason == 0 ? 0 : -1);
        if (reason == 0) {
            clump_writer_drop(&writer);
            unlink(path);
        } else
            assert_int_equal(reason, EFBIG);
    }
}

/* ---- totals */

static void add(clump_account *account, clump_call_kind kind, double begin, double end,
                uint32_t thread)
{
    clump_recorded_call call = clump_call_of(kind, begin, end);
    call.thread = thread;
    clump_account_add(account, &call);
}

/* Time in MPI is the union of what threads spend there. By brute force: 1000 points of time. */
TEST(time_of_threads_counts_once)
{
    clump_account account;
    static unsigned char inside[1000];
    struct span {
        int begin, end;
    } spans[120];
    for (int round = 0; round < 200; round++) {
        int free_at[4] = {0}, count = 0;
        memset(inside, 0, sizeof inside);
        for (int thread = 0; thread < 4; thread++)
            for (int i = 0; i < 30; i++) {
                const int begin = free_at[thread] + (int)draw(20), end = begin + (int)draw(25);
                if (end > 1000)
                    break;
                spans[count++] = (struct span){begin, end};
                free_at[thread] = end;
                for (int t = begin; t < end; t++)
                    inside[t] = 1;
            }
        for (int i = 1; i < count; i++) /* as they end */
            for (int k = i; k > 0 && spans[k].end < spans[k - 1].end; k--) {
                const struct span swap = spans[k];
                spans[k] = spans[k - 1];
                spans[k - 1] = swap;
            }
        clump_account_start(&account, 0);
        account.threads = 4;
        for (int i = 0; i < count; i++)
            add(&account, CLUMP_CALL_WAIT, spans[i].begin * 1e-3, spans[i].end * 1e-3, 0);
        double sum = 0;
        for (int t = 0; t < 1000; t++)
            sum += inside[t] * 1e-3;
        assert_float_equal(account.inside, sum, 1e-9);
        clump_account_free(&account);
    }
}

TEST(many_calls)
{
    clump_account account;
    clump_account_start(&account, 100);
    for (int i = 0; i < 100000; i++) {
        clump_recorded_call call =
            clump_call_of(CLUMP_CALL_SEND, 100 + i * 0.013, 100 + i * 0.013 + 0.004);
        call.processor = 0.009;
        call.peer = i % 7;
        call.bytes = (uint64_t)i;
        clump_account_add(&account, &call);
    }
    assert_float_equal(account.inside, 400, 1e-6);
    assert_float_equal(account.processor, 900, 1e-6);
    assert_int_equal(account.calls, 100000);
    uint64_t messages = 0, bytes = 0;
    for (size_t i = 0; i < account.traffic_count; i++) {
        assert_int_equal(account.traffic[i].kind, CLUMP_TRAFFIC_SENT);
        messages += account.traffic[i].messages;
        bytes += account.traffic[i].bytes;
    }
    assert_int_equal(messages, 100000);
    assert_true(bytes == UINT64_C(100000) * 99999 / 2);
    clump_account_free(&account);
}

TEST(size_classes)
{
    assert_int_equal(clump_size_class(0), 0);
    assert_int_equal(clump_size_class(1), 1);
    assert_int_equal(clump_size_class(1024), 11);
    assert_int_equal(clump_size_class(1025), 12);
    assert_int_equal(clump_size_class(UINT64_MAX), CLUMP_SIZE_CLASSES - 1);
    for (uint64_t bytes = 1; bytes < 5000; bytes++) {
        const double least = ldexp(1, (int)clump_size_class(bytes) - 2); /* above half of it */
        assert_true((double)bytes > floor(least) && (double)bytes <= 2 * least);
    }
}

/* The standard's check value. */
TEST(checksums)
{
    assert_int_equal(clump_checksum(0, "123456789", 9), 0xcbf43926);
    assert_int_equal(clump_checksum(clump_checksum(0, "12345", 5), "6789", 4), 0xcbf43926);
}

TEST_WITH(folders_that_are_none, make, clean)
{
    clump_recording *recording;
    char path[128];
    assert_int_equal(clump_recording_open("/nonexistent", &recording), CLUMP_RECORDING_INPUT);
    clump_recording_close(recording);
    assert_int_equal(clump_recording_open(folder, &recording), CLUMP_RECORDING_INPUT);
    assert_non_null(strstr(clump_recording_message(recording), "found no file"));
    clump_recording_close(recording);
    path_of(3, path);
    assert_int_equal(mkfifo(path, 0600), 0); /* reading it would wait for ever */
    assert_int_equal(clump_recording_open(folder, &recording), CLUMP_RECORDING_INPUT);
    clump_recording_close(recording);
    unlink(path);
    write_rank(0, 3, 0, 0, true);
    write_rank(2, 3, 0, 0, true);
    if (clump_recording_open(folder, &recording) != CLUMP_RECORDING_OK)
        fail_msg("%s", clump_recording_message(recording));
    assert_int_equal(clump_recording_describe(recording).missing, 1);
    clump_recording_close(recording);
    char other[128];
    path_of(0, path);
    path_of(1, other);
    assert_int_equal(rename(path, other), 0);
    assert_int_equal(clump_recording_open(folder, &recording), CLUMP_RECORDING_INPUT);
    assert_non_null(strstr(clump_recording_message(recording), "rank 0 of 3"));
    clump_recording_close(recording);
}

/* A header says how many ranks there were: those of which nothing is there take no room for what there is none of. */
TEST_WITH(ranks_without_files_take_little, make, clean)
{
    enum { RANKS = 1 << 20 };
    const clump_rank_header header = header_of(5, RANKS);
    clump_recording_writer writer;
    clump_recording *recording;
    char path[128];
    path_of(5, path);
    assert_int_equal(clump_writer_open(&writer, path, &header, 0), 0);
    clump_writer_close(&writer, CLUMP_RECORDING_FINALIZED);
    if (clump_recording_open(folder, &recording) != CLUMP_RECORDING_OK)
        fail_msg("%s", clump_recording_message(recording));
    const clump_recording_about about = clump_recording_describe(recording);
    assert_int_equal(about.ranks, RANKS);
    assert_int_equal(about.missing, RANKS - 1);
    assert_true(clump_recording_rank_of(recording, 4).missing);
    assert_false(clump_recording_rank_of(recording, 5).missing);
    assert_int_equal(clump_recording_rank_of(recording, 5).pid, 1005);
    clump_recording_close(recording);
}

/* What a database has no bytes of. */
TEST(nothing_to_unpack)
{
    size_t length = 1;
    clump_unpacker nothing = {.bytes = NULL};
    assert_non_null(clump_unpack_text(&nothing, &length));
    assert_true(nothing.bad && length == 0);
}

UNIT_MAIN(NULL, NULL)
