/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/call.h"

const char *clump_call_name(clump_call_kind kind)
{
    static const char *const names[CLUMP_CALL_KINDS] = {
        [CLUMP_CALL_SEND] = "send",
        [CLUMP_CALL_RECEIVE] = "receive",
        [CLUMP_CALL_ISEND] = "isend",
        [CLUMP_CALL_IRECEIVE] = "ireceive",
        [CLUMP_CALL_SENDRECV] = "sendrecv",
        [CLUMP_CALL_WAIT] = "wait",
        [CLUMP_CALL_TEST] = "test",
        [CLUMP_CALL_BARRIER] = "barrier",
        [CLUMP_CALL_BROADCAST] = "broadcast",
        [CLUMP_CALL_REDUCE] = "reduce",
        [CLUMP_CALL_ALLREDUCE] = "allreduce",
        [CLUMP_CALL_GATHER] = "gather",
        [CLUMP_CALL_SCATTER] = "scatter",
        [CLUMP_CALL_ALLGATHER] = "allgather",
        [CLUMP_CALL_ALLTOALL] = "alltoall",
        [CLUMP_CALL_REDUCE_SCATTER] = "reduce_scatter",
        [CLUMP_CALL_SCAN] = "scan",
        [CLUMP_CALL_NEIGHBOUR] = "neighbour",
        [CLUMP_CALL_PUT] = "put",
        [CLUMP_CALL_GET] = "get",
        [CLUMP_CALL_ACCUMULATE] = "accumulate",
        [CLUMP_CALL_SYNCHRONIZE] = "synchronize",
        [CLUMP_CALL_INIT] = "init",
        [CLUMP_CALL_FINALIZE] = "finalize",
        [CLUMP_CALL_MARK] = "mark",
        [CLUMP_CALL_OTHER] = "other",
    };
    return (unsigned)kind < CLUMP_CALL_KINDS ? names[kind] : "?";
}

bool clump_call_is_collective(clump_call_kind kind)
{
    return kind >= CLUMP_CALL_BARRIER && kind <= CLUMP_CALL_NEIGHBOUR;
}

bool clump_call_completes(const clump_recorded_call *call)
{
    return call->kind == CLUMP_CALL_WAIT || call->kind == CLUMP_CALL_TEST ||
           (call->kind == CLUMP_CALL_NEIGHBOUR && !call->nonblocking);
}

bool clump_call_hides_messages(const clump_recorded_call *call)
{
    return call->kind == CLUMP_CALL_NEIGHBOUR && call->tag != CLUMP_CALL_TAG_NEIGHBOUR;
}

clump_recorded_call clump_call_of(clump_call_kind kind, double begin, double end)
{
    return (clump_recorded_call){.kind = kind,
                                 .begin = begin,
                                 .end = end,
                                 .peer = -1,
                                 .peer_receive = -1,
                                 .tag_receive = -1,
                                 .tag = -1,
                                 .calls = 1};
}

unsigned clump_size_class(uint64_t bytes)
{
    unsigned size_class = 0;
    if (bytes == 0)
        return 0;
    for (bytes--; bytes > 0; bytes >>= 1)
        size_class++;
    return size_class + 1;
}
