/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/matched_calls.h"
#include "recording/trace_export.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct output {
    clump_trace_writer *writer;
    void *context;
    bool stopped;
    bool first;
    size_t length;
    char text[1 << 14];
    clump_recording *recording;
    uint64_t messages;
    uint32_t rank;
    size_t ranks, node;
    uint64_t track;
} output;

enum { MOST_PIECE = 1024 };

static void flush(output *out)
{
    if (!out->stopped && out->length > 0)
        out->stopped = !out->writer(out->context, out->text, out->length);
    out->length = 0;
}

/* Less than MOST_PIECE characters. */
static void print(output *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void print(output *out, const char *format, ...)
{
    va_list arguments;
    if (out->length + MOST_PIECE > sizeof out->text)
        flush(out);
    va_start(arguments, format);
    const int n = vsnprintf(out->text + out->length, MOST_PIECE, format, arguments);
    va_end(arguments);
    out->length += n < 0 ? 0 : n < MOST_PIECE ? (size_t)n : MOST_PIECE - 1;
}

/* Names of hosts come from files: what is not plain becomes '?'. */
static void print_string(output *out, const char *text)
{
    print(out, "\"");
    for (size_t i = 0; text != NULL && text[i] != '\0' && i < 200; i++)
        print(out, "%c",
              text[i] < ' ' || text[i] > '~' || text[i] == '"' || text[i] == '\\' ? '?' : text[i]);
    print(out, "\"");
}

static void next_event(output *out)
{
    print(out, out->first ? "\n" : ",\n");
    out->first = false;
}

/* Processes and tracks have names, and stand in the order of ranks. */
static void print_name(output *out, const char *what, size_t process, uint64_t track,
                       const char *name)
{
    next_event(out);
    print(out,
          "{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%zu,\"tid\":%" PRIu64 ",\"args\":{\"name\":", what,
          process + 1, track);
    print_string(out, name);
    print(out, "}}");
}

static void print_order(output *out, const char *what, size_t process, uint64_t track,
                        uint64_t index)
{
    next_event(out);
    print(out,
          "{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%zu,\"tid\":%" PRIu64
          ",\"args\":{\"sort_index\":%" PRIu64 "}}",
          what, process + 1, track, index);
}

static double microseconds(double seconds)
{
    return isfinite(seconds) ? round(seconds * 1e9) / 1e3 : 0;
}

static uint64_t track_of(const output *out, size_t rank, uint32_t thread)
{
    return 1 + rank + (uint64_t)thread * out->ranks;
}

static void print_end(output *out, const char *phase, const char *more, size_t rank,
                      uint32_t thread, double at)
{
    next_event(out);
    print(out,
          "{\"ph\":\"%s\",\"name\":\"message\",\"cat\":\"message\",\"id\":\"%" PRIu64
          "\",\"pid\":%zu,\"tid\":%" PRIu64 ",\"ts\":%.3f%s}",
          phase, out->messages, clump_recording_rank_of(out->recording, rank).node + 1,
          track_of(out, rank, thread), microseconds(at), more);
}

static void print_flow(const clump_matched_message *m, void *context)
{
    output *out = context;
    print_end(out, "s", "", m->from, m->from_thread, m->sent);
    /* within the slice, which ends before its end */
    print_end(out, "f", ",\"bp\":\"e\"", m->to, m->to_thread, fmax(m->begin, m->end - 1e-9));
    out->messages++;
}

static void print_call(output *out, const clump_recorded_call *call)
{
    const double begin = microseconds(call->begin), end = microseconds(call->end);
    next_event(out);
    print(out,
          "{\"ph\":\"X\",\"name\":\"%s%s\",\"cat\":\"%s\",\"pid\":%zu,\"tid\":%" PRIu64
          ",\"ts\":%.3f,\"dur\":%.3f,\"args\":{",
          call->nonblocking ? "i" : "", clump_call_name(call->kind),
          clump_call_is_collective(call->kind) ? "collective" : "call", out->node + 1, out->track,
          begin, fmax(end - begin, 0));
    print(out, "\"bytes\":%" PRIu64 ",\"received\":%" PRIu64, call->bytes, call->bytes_received);
    if (call->peer >= 0)
        print(out, ",\"peer\":%d", call->peer);
    if (call->peer_receive >= 0)
        print(out, ",\"source\":%d,\"source_tag\":%d", call->peer_receive, call->tag_receive);
    if (call->tag >= 0)
        print(out, ",\"tag\":%d", call->tag);
    if (call->communicator != CLUMP_COMMUNICATOR_WORLD &&
        call->communicator != CLUMP_COMMUNICATOR_UNKNOWN)
        print(out, ",\"communicator\":%" PRIu32, call->communicator);
    if (call->requests > 0)
        print(out, ",\"requests\":%" PRIu32, call->requests);
    print(out, "}}");
}

static void begin_track(output *out, uint32_t thread)
{
    char name[80];
    if (thread == 0)
        snprintf(name, sizeof name, "rank %" PRIu32, out->rank);
    else
        snprintf(name, sizeof name, "rank %" PRIu32 ", thread %" PRIu32, out->rank, thread);
    print_name(out, "thread_name", out->node, out->track, name);
    print_order(out, "thread_sort_index", out->node, out->track, out->track);
}

static clump_recording_status print_rank(output *out, clump_recording *recording)
{
    clump_recording_calls *calls = NULL;
    clump_recorded_call call;
    int found = 0;
    uint32_t threads = 0; /* that have a track */
    const clump_recording_rank rank = clump_recording_rank_of(recording, out->rank);
    if (rank.missing)
        return CLUMP_RECORDING_OK;
    out->node = rank.node;
    const clump_recording_status status = clump_recording_calls_open(recording, out->rank, &calls);
    if (status != CLUMP_RECORDING_OK)
        return status;
    while (!out->stopped && (found = clump_recording_next(calls, &call)) > 0) {
        for (; threads <= call.thread && threads < 4096; threads++) {
            out->track = track_of(out, out->rank, threads);
            begin_track(out, threads);
        }
        out->track = track_of(out, out->rank, call.thread);
        print_call(out, &call);
    }
    clump_recording_calls_close(calls);
    return found < 0 ? CLUMP_RECORDING_INPUT : CLUMP_RECORDING_OK;
}

clump_recording_status clump_trace_export_perfetto(clump_recording *recording,
                                                   clump_trace_writer *writer, void *context)
{
    const clump_recording_about about = clump_recording_describe(recording);
    output out = {.writer = writer,
                  .context = context,
                  .recording = recording,
                  .ranks = about.ranks,
                  .first = true};
    const clump_matching_listener listener = {.message = print_flow, .context = &out};
    clump_recording_status status = CLUMP_RECORDING_OK;
    print(&out, "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"program\":");
    print_string(&out, about.program);
    print(&out, ",\"library\":");
    print_string(&out, about.library);
    print(&out, ",\"start\":");
    print_string(&out, about.start);
    print(&out, "},\"traceEvents\":[");
    for (size_t node = 0; node < about.nodes; node++) {
        print_name(&out, "process_name", node, 0, clump_recording_host(recording, node));
        print_order(&out, "process_sort_index", node, 0, node);
    }
    for (out.rank = 0; out.rank < out.ranks && status == CLUMP_RECORDING_OK && !out.stopped;
         out.rank++)
        status = print_rank(&out, recording);
    if (status == CLUMP_RECORDING_OK && !out.stopped)
        status = clump_recording_match(recording, &listener, NULL);
    print(&out, "\n]}\n");
    flush(&out);
    return status == CLUMP_RECORDING_OK && out.stopped ? CLUMP_RECORDING_FAILED : status;
}
