/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Everything is collected and sorted: Paraver wants records of all ranks in the order of their times. */
#include "recording/trace_export.h"
#include "recording/trace_messages.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { EVENT_MPI = 50000001 };

/* States, as Paraver numbers and colours them. */
enum {
    RUNNING = 1,
    WAITS_MESSAGE = 3,
    SENDS = 4,
    TESTS = 6,
    WAITS = 8,
    IMMEDIATE_SEND = 10,
    IMMEDIATE_RECEIVE = 11,
    TOGETHER = 13,
    OTHERS = 15,
    SENDS_RECEIVES = 16
};

static const struct {
    int number;
    const char *name;
    int red, green, blue;
} states[] = {{0, "Idle", 117, 195, 255},
              {RUNNING, "Running", 0, 0, 255},
              {2, "Not created", 255, 255, 255},
              {WAITS_MESSAGE, "Waiting a message", 255, 0, 0},
              {SENDS, "Blocking Send", 255, 0, 174},
              {5, "Synchronization", 179, 0, 0},
              {TESTS, "Test/Probe", 0, 255, 0},
              {7, "Scheduling and Fork/Join", 255, 255, 0},
              {WAITS, "Wait/WaitAll", 235, 0, 0},
              {9, "Blocked", 0, 162, 0},
              {IMMEDIATE_SEND, "Immediate Send", 255, 0, 255},
              {IMMEDIATE_RECEIVE, "Immediate Receive", 100, 100, 177},
              {12, "I/O", 172, 174, 41},
              {TOGETHER, "Group Communication", 255, 144, 26},
              {14, "Tracing Disabled", 2, 255, 177},
              {OTHERS, "Others", 192, 224, 0},
              {SENDS_RECEIVES, "Send Receive", 66, 66, 66}};

static int state_of(const clump_recorded_call *call)
{
    switch (call->kind) {
    case CLUMP_CALL_SEND:
        return SENDS;
    case CLUMP_CALL_RECEIVE:
        return WAITS_MESSAGE;
    case CLUMP_CALL_ISEND:
        return IMMEDIATE_SEND;
    case CLUMP_CALL_IRECEIVE:
        return IMMEDIATE_RECEIVE;
    case CLUMP_CALL_SENDRECV:
        return SENDS_RECEIVES;
    case CLUMP_CALL_WAIT:
        return WAITS;
    case CLUMP_CALL_TEST:
        return TESTS;
    default:
        return clump_call_is_collective(call->kind) ? TOGETHER : OTHERS;
    }
}

/* ---- records */

typedef enum record_kind { STATE = 1, EVENT, MESSAGE } record_kind;

typedef struct record {
    uint64_t time, end;  /* ns; of a message: sent, and the receiving call ended */
    uint64_t from, to;   /* message: the sending call ended, the receiving one began */
    uint64_t value;      /* state, event; message: bytes */
    uint32_t rank, peer; /* message: sender, receiver */
    uint32_t thread, peer_thread;
    uint32_t number; /* in the order in which they were collected */
    int tag;
    uint8_t kind;
} record;

/** An end of a message that waits for the other. */
typedef struct loose_end {
    uint64_t begin, end, bytes;
    uint32_t channel, number, rank, thread;
    int tag;
    bool sends;
} loose_end;

typedef struct maker {
    record *records;
    size_t count, room;
    loose_end *ends;
    size_t end_count, end_room;
    trace_messages messages;
    const clump_recorded_call *call;
    uint32_t rank, threads;
    size_t ranks;
    uint32_t *cpu; /* of each rank, counted through all nodes from 1 on */
    uint64_t last;
    bool no_memory;
    /* output */
    clump_trace_writer *writer;
    void *context;
    bool stopped;
    size_t length;
    char text[1 << 14];
} maker;

enum { MOST_PIECE = 1024 };

static void flush(maker *m)
{
    if (!m->stopped && m->length > 0)
        m->stopped = !m->writer(m->context, m->text, m->length);
    m->length = 0;
}

static void print(maker *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void print(maker *m, const char *format, ...)
{
    va_list arguments;
    if (m->length + MOST_PIECE > sizeof m->text)
        flush(m);
    va_start(arguments, format);
    const int n = vsnprintf(m->text + m->length, MOST_PIECE, format, arguments);
    va_end(arguments);
    m->length += n < 0 ? 0 : n < MOST_PIECE ? (size_t)n : MOST_PIECE - 1;
}

static uint64_t nanoseconds(double seconds)
{
    return seconds > 0 ? (uint64_t)fmin(round(seconds * 1e9), 9e18) : 0;
}

static void *grow(maker *m, void **items, size_t count, size_t *room, size_t size)
{
    if (count == *room) {
        const size_t more = *room > 0 ? *room + *room / 2 : 1024;
        void *larger = realloc(*items, more * size);
        if (larger == NULL) {
            m->no_memory = true;
            return NULL;
        }
        *items = larger;
        *room = more;
    }
    return (char *)*items + count * size;
}

static void add(maker *m, record r)
{
    void *items = m->records;
    record *place = grow(m, &items, m->count, &m->room, sizeof r);
    m->records = items;
    if (place == NULL)
        return;
    r.number = (uint32_t)m->count++;
    *place = r;
    if (r.end > m->last)
        m->last = r.end;
}

static void add_end(void *context, const trace_end *end)
{
    maker *m = context;
    void *items = m->ends;
    loose_end *place = grow(m, &items, m->end_count, &m->end_room, sizeof *place);
    m->ends = items;
    if (place == NULL)
        return;
    m->end_count++;
    *place = (loose_end){.begin = nanoseconds(m->call->begin),
                         .end = nanoseconds(m->call->end),
                         .bytes = end->bytes,
                         .channel = end->channel,
                         .number = end->number,
                         .rank = m->rank,
                         .thread = m->call->thread,
                         .tag = end->tag,
                         .sends = end->sends};
}

static int by_message(const void *a, const void *b)
{
    const loose_end *x = a, *y = b;
    if (x->channel != y->channel)
        return x->channel < y->channel ? -1 : 1;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return (int)y->sends - (int)x->sends;
}

static int by_time(const void *a, const void *b)
{
    const record *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static void join_messages(maker *m)
{
    if (m->end_count > 0)
        qsort(m->ends, m->end_count, sizeof *m->ends, by_message);
    for (size_t i = 1; i < m->end_count; i++) {
        const loose_end *s = &m->ends[i - 1], *r = &m->ends[i];
        if (!s->sends || r->sends || s->channel != r->channel || s->number != r->number)
            continue;
        add(m, (record){.kind = MESSAGE,
                        .time = s->begin,
                        .from = s->end,
                        .to = r->begin,
                        .end = r->end,
                        .value = s->bytes,
                        .rank = s->rank,
                        .thread = s->thread,
                        .peer = r->rank,
                        .peer_thread = r->thread,
                        .tag = s->tag});
    }
}

/* ---- reading */

enum { MOST_THREADS = 64 }; /* that are told apart; those beyond share the last one */

static clump_recording_status collect_rank(maker *m, clump_recording *recording)
{
    clump_recording_calls *calls = NULL;
    clump_recorded_call call;
    uint64_t before[MOST_THREADS];
    int found = 0;
    const clump_recording_rank rank = clump_recording_rank_of(recording, m->rank);
    if (rank.missing)
        return CLUMP_RECORDING_OK;
    clump_recording_status status = clump_recording_calls_open(recording, m->rank, &calls);
    if (status != CLUMP_RECORDING_OK)
        return status;
    trace_messages_rank(&m->messages);
    for (size_t i = 0; i < MOST_THREADS; i++)
        before[i] = nanoseconds(rank.start);
    while (!m->no_memory && !m->messages.no_memory &&
           (found = clump_recording_next(calls, &call)) > 0) {
        call.thread = call.thread < MOST_THREADS ? call.thread : MOST_THREADS - 1;
        const uint64_t last = before[call.thread];
        const uint64_t begin = nanoseconds(call.begin) > last ? nanoseconds(call.begin) : last;
        const uint64_t end = nanoseconds(call.end) > begin ? nanoseconds(call.end) : begin;
        const record of = {.rank = m->rank, .thread = call.thread};
        record r = of;
        if (begin > last) {
            r.kind = STATE;
            r.time = last;
            r.end = begin;
            r.value = RUNNING;
            add(m, r);
        }
        r = of;
        r.kind = STATE;
        r.time = begin;
        r.end = end;
        r.value = (uint64_t)state_of(&call);
        if (end > begin)
            add(m, r);
        r.kind = EVENT;
        r.end = r.time = begin;
        r.value = (uint64_t)call.kind + 1;
        add(m, r);
        r.end = r.time = end;
        r.value = 0;
        add(m, r);
        before[call.thread] = end;
        m->threads = call.thread + 1 > m->threads ? call.thread + 1 : m->threads;
        m->call = &call;
        trace_messages_add(&m->messages, m->rank, m->ranks, &call, add_end, m);
    }
    clump_recording_calls_close(calls);
    return found < 0 ? CLUMP_RECORDING_INPUT : CLUMP_RECORDING_OK;
}

/* ---- writing */

/* A processor for each rank, node by node; ranks that left no file are on the first node. */
static size_t number_processors(maker *m, const clump_recording *recording, size_t node,
                                uint32_t next)
{
    size_t count = 0;
    for (size_t r = 0; r < m->ranks; r++) {
        const clump_recording_rank rank = clump_recording_rank_of(recording, r);
        if ((rank.missing ? 0 : rank.node) == node)
            m->cpu[r] = next + (uint32_t)count++;
    }
    return count;
}

static void print_header(maker *m, const clump_recording *recording)
{
    const clump_recording_about about = clump_recording_describe(recording);
    const time_t start = (time_t)(about.start_ns / 1000000000);
    struct tm when;
    char date[40] = "01/01/1970 at 00:00";
    if (gmtime_r(&start, &when) != NULL)
        strftime(date, sizeof date, "%d/%m/%Y at %H:%M", &when);
    print(m, "#Paraver (%s):%" PRIu64 "_ns:%zu(", date, m->last, about.nodes);
    uint32_t next = 1;
    for (size_t n = 0; n < about.nodes; n++) {
        const size_t count = number_processors(m, recording, n, next);
        print(m, "%s%zu", n > 0 ? "," : "", count);
        next += (uint32_t)count;
    }
    print(m, "):1:%zu(", m->ranks);
    for (size_t r = 0; r < m->ranks; r++) {
        const clump_recording_rank rank = clump_recording_rank_of(recording, r);
        print(m, "%s%" PRIu32 ":%zu", r > 0 ? "," : "", m->threads > 0 ? m->threads : 1,
              rank.missing ? (size_t)1 : rank.node + 1);
    }
    print(m, ")\n");
}

static void print_record(maker *m, const record *r)
{
    const uint32_t task = r->rank + 1, thread = r->thread + 1, cpu = m->cpu[r->rank];
    if (r->kind == STATE)
        print(m, "1:%" PRIu32 ":1:%" PRIu32 ":%" PRIu32 ":%" PRIu64 ":%" PRIu64 ":%" PRIu64 "\n",
              cpu, task, thread, r->time, r->end, r->value);
    else if (r->kind == EVENT)
        print(m, "2:%" PRIu32 ":1:%" PRIu32 ":%" PRIu32 ":%" PRIu64 ":%d:%" PRIu64 "\n", cpu, task,
              thread, r->time, EVENT_MPI, r->value);
    else
        print(m,
              "3:%" PRIu32 ":1:%" PRIu32 ":%" PRIu32 ":%" PRIu64 ":%" PRIu64 ":%" PRIu32
              ":1:%" PRIu32 ":%" PRIu32 ":%" PRIu64 ":%" PRIu64 ":%" PRIu64 ":%d\n",
              cpu, task, thread, r->time, r->from, m->cpu[r->peer], r->peer + 1, r->peer_thread + 1,
              r->to, r->end, r->value, r->tag);
}

static clump_recording_status export_records(maker *m, clump_recording *recording)
{
    clump_recording_status status = CLUMP_RECORDING_OK;
    trace_messages_make(&m->messages);
    m->cpu = calloc(m->ranks + 1, sizeof *m->cpu);
    m->no_memory = m->cpu == NULL;
    for (m->rank = 0; m->rank < m->ranks && status == CLUMP_RECORDING_OK; m->rank++)
        status = collect_rank(m, recording);
    if (status == CLUMP_RECORDING_OK && !m->no_memory && !m->messages.no_memory) {
        join_messages(m);
        if (m->count > 0)
            qsort(m->records, m->count, sizeof *m->records, by_time);
        print_header(m, recording);
        for (size_t i = 0; i < m->count && !m->stopped; i++)
            print_record(m, &m->records[i]);
    }
    m->no_memory = m->no_memory || m->messages.no_memory;
    trace_messages_release(&m->messages);
    return status;
}

static void export_names(maker *m)
{
    print(m, "DEFAULT_OPTIONS\n\nLEVEL               THREAD\nUNITS               NANOSEC\n"
             "LOOK_BACK           100\nSPEED               1\nFLAG_ICONS          ENABLED\n"
             "NUM_OF_STATE_COLORS 1000\nYMAX_SCALE          37\n\n\n"
             "DEFAULT_SEMANTIC\n\nTHREAD_FUNC         State As Is\n\n\nSTATES\n");
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        print(m, "%d    %s\n", states[i].number, states[i].name);
    print(m, "\n\nSTATES_COLOR\n");
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        print(m, "%d    {%d,%d,%d}\n", states[i].number, states[i].red, states[i].green,
              states[i].blue);
    print(m, "\n\nEVENT_TYPE\n9    %d    MPI call\nVALUES\n0    End\n", EVENT_MPI);
    for (int kind = 0; kind < CLUMP_CALL_KINDS; kind++)
        print(m, "%d    %s\n", kind + 1, clump_call_name((clump_call_kind)kind));
    print(m, "\n");
}

static void print_plain(maker *m, const char *text)
{
    for (size_t i = 0; text != NULL && text[i] != '\0' && i < 200; i++)
        print(m, "%c", text[i] < ' ' || text[i] > '~' ? '?' : text[i]);
    print(m, "\n");
}

static void export_rows(maker *m, const clump_recording *recording)
{
    const size_t nodes = clump_recording_describe(recording).nodes;
    print(m, "LEVEL CPU SIZE %zu\n", m->ranks);
    for (size_t r = 0; r < m->ranks; r++)
        print(m, "processor of rank %zu\n", r);
    print(m, "\nLEVEL NODE SIZE %zu\n", nodes);
    for (size_t n = 0; n < nodes; n++)
        print_plain(m, clump_recording_host(recording, n));
    print(m, "\nLEVEL TASK SIZE %zu\n", m->ranks);
    for (size_t r = 0; r < m->ranks; r++)
        print(m, "rank %zu\n", r);
}

clump_recording_status clump_trace_export_paraver(clump_recording *recording,
                                                  clump_paraver_file file,
                                                  clump_trace_writer *writer, void *context)
{
    maker *m = calloc(1, sizeof *m);
    clump_recording_status status = CLUMP_RECORDING_OK;
    if (m == NULL)
        return CLUMP_RECORDING_NO_MEMORY;
    m->writer = writer;
    m->context = context;
    m->ranks = clump_recording_describe(recording).ranks;
    if (file == CLUMP_PARAVER_PRV)
        status = export_records(m, recording);
    else if (file == CLUMP_PARAVER_PCF)
        export_names(m);
    else
        export_rows(m, recording);
    flush(m);
    if (status == CLUMP_RECORDING_OK && (m->stopped || m->no_memory))
        status = m->no_memory ? CLUMP_RECORDING_NO_MEMORY : CLUMP_RECORDING_FAILED;
    free(m->cpu);
    free(m->records);
    free(m->ends);
    free(m);
    return status;
}
