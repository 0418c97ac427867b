/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Traces for Perfetto, read back by a JSON parser. */
#include "recording/trace_export.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/unit.h"

#include "tests/unit/collected_text.h"
#include "tests/unit/recorded_ranks.h"

/* Rank 0 sends 100 bytes to 1, which posts its receive early, and both meet in a barrier. */
static void write_pair(void)
{
    make_folder();
    for (unsigned rank = 0; rank < 2; rank++) {
        clump_recording_writer w;
        clump_rank_header header = header_of(rank, 2, "Open MPI v4.1.4");
        header.host = rank == 0 ? "a" : "b";
        header.node_ranks = 1;
        clump_call_request request = {
            .number = 1, .kind = CLUMP_REQUEST_RECEIVE, .peer = -1, .tag = -1};
        clump_recorded_call call;
        open_rank(&w, &header, 1 << 20);
        if (rank == 0) {
            call = clump_call_of(CLUMP_CALL_SEND, 2, 2.5);
            call.peer = 1;
            call.tag = 7;
            call.bytes = 100;
            clump_writer_add(&w, &call);
        } else {
            call = clump_call_of(CLUMP_CALL_IRECEIVE, 1, 1);
            call.requests = 1;
            call.request = &request;
            clump_writer_add(&w, &call);
            request.peer = 0;
            request.tag = 7;
            request.bytes = 100;
            call = clump_call_of(CLUMP_CALL_WAIT, 1.5, 3);
            call.requests = 1;
            call.request = &request;
            clump_writer_add(&w, &call);
        }
        call = clump_call_of(CLUMP_CALL_BARRIER, 3.5, 4);
        clump_writer_add(&w, &call);
        clump_writer_close(&w, CLUMP_RECORDING_FINALIZED);
    }
}

static clump_recording *open_pair(void)
{
    clump_recording *recording = NULL;
    if (clump_recording_open(folder, &recording) != CLUMP_RECORDING_OK)
        fail_msg("%s", clump_recording_message(recording));
    return recording;
}

/* The only event of a phase and name of a process, or of any (0). */
static json_t *event_of(json_t *events, const char *phase, const char *name, int process)
{
    json_t *found = NULL, *event;
    size_t i;
    json_array_foreach(events, i, event)
    {
        if (strcmp(json_string_value(json_object_get(event, "ph")), phase) != 0 ||
            strcmp(json_string_value(json_object_get(event, "name")), name) != 0 ||
            (process > 0 && json_integer_value(json_object_get(event, "pid")) != process))
            continue;
        assert_null(found);
        found = event;
    }
    assert_non_null(found);
    return found;
}

static double number_of(const json_t *event, const char *key)
{
    return json_number_value(json_object_get(event, key));
}

TEST(test_perfetto)
{
    static text t;
    json_error_t error;
    write_pair();
    clump_recording *recording = open_pair();
    t.size = 0;
    assert_int_equal(clump_trace_export_perfetto(recording, collect, &t), CLUMP_RECORDING_OK);
    json_t *root = json_loads(t.bytes, JSON_REJECT_DUPLICATES, &error);
    if (root == NULL)
        fail_msg("line %d: %s", error.line, error.text);
    json_t *events = json_object_get(root, "traceEvents");
    json_t *send = event_of(events, "X", "send", 0), *wait = event_of(events, "X", "wait", 0);
    assert_true(number_of(send, "ts") == 2e6 && number_of(send, "dur") == 5e5);
    assert_true(number_of(wait, "ts") == 15e5 && number_of(wait, "dur") == 15e5);
    assert_int_equal(json_integer_value(json_object_get(send, "pid")), 1);
    assert_int_equal(json_integer_value(json_object_get(wait, "tid")), 2);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(send, "args"), "bytes")),
                     100);
    json_t *begins = event_of(events, "s", "message", 0),
           *ends = event_of(events, "f", "message", 0);
    assert_string_equal(json_string_value(json_object_get(begins, "id")),
                        json_string_value(json_object_get(ends, "id")));
    assert_true(number_of(begins, "ts") == 2e6);
    assert_true(number_of(ends, "ts") >= 15e5 && number_of(ends, "ts") < 3e6);
    json_t *name = json_object_get(event_of(events, "M", "process_name", 2), "args");
    assert_string_equal(json_string_value(json_object_get(name, "name")), "b");
    name = json_object_get(event_of(events, "M", "thread_name", 1), "args");
    assert_string_equal(json_string_value(json_object_get(name, "name")), "rank 0");
    json_decref(root);
    assert_int_equal(clump_trace_export_perfetto(recording, refuse, NULL), CLUMP_RECORDING_FAILED);
    clump_recording_close(recording);
    remove_folder(2);
}

UNIT_MAIN(NULL, NULL)
