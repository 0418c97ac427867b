/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What ranks did when: a recording whose states are known, column by column. */
#include "recording/timeline.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/unit/unit.h"

#include "tests/unit/recorded_ranks.h"

/* From 1 on rank 1 waits for a message that 0 begins to send at 2.5; it is there at 3.5. A call that nobody matches from 4 to 4.5. */
static void write_pair(void)
{
    make_folder();
    for (unsigned rank = 0; rank < 2; rank++) {
        clump_recording_writer w;
        const clump_rank_header header = header_of(rank, 2, "MPICH 4.0.2");
        open_rank(&w, &header, 1 << 20);
        clump_recorded_call call = clump_call_of(CLUMP_CALL_INIT, 0, 0.5);
        clump_writer_add(&w, &call);
        call = rank == 0 ? clump_call_of(CLUMP_CALL_SEND, 2.5, 3)
                         : clump_call_of(CLUMP_CALL_RECEIVE, 1, 3.5);
        call.peer = 1 - (int)rank;
        call.tag = 7;
        call.bytes = rank == 0 ? 100 : 0;
        call.bytes_received = rank == 0 ? 0 : 100;
        clump_writer_add(&w, &call);
        call = clump_call_of(CLUMP_CALL_OTHER, 4, 4.5);
        clump_writer_add(&w, &call);
        call = clump_call_of(CLUMP_CALL_FINALIZE, 5.5, 7);
        clump_writer_add(&w, &call);
        clump_writer_close(&w, CLUMP_RECORDING_FINALIZED);
    }
}

/* c computing, t transferring, w waiting, o other; columns of half a second from 0.5 to 5.5. */
TEST(test_states)
{
    static const char *const expected[2] = {"cccctccocc", "cwwwttcocc"};
    static const char letters[] = "ctwo";
    clump_recording *recording = NULL;
    clump_timeline t;
    write_pair();
    assert_int_equal(clump_recording_open(folder, &recording), CLUMP_RECORDING_OK);
    assert_int_equal(clump_timeline_make(recording, 10, 64, &t), CLUMP_RECORDING_OK);
    assert_true(fabs(t.begin - 0.5) < 1e-6 && fabs(t.end - 5.5) < 1e-6);
    assert_int_equal(t.ranks, 2);
    for (size_t r = 0; r < 2; r++) {
        char found[11] = "";
        for (size_t c = 0; c < 10; c++)
            found[c] = letters[clump_timeline_at(&t, r, c)];
        assert_string_equal(found, expected[r]);
    }
    clump_timeline_free(&t);
    /* one column: sums; and of the first rank only */
    assert_int_equal(clump_timeline_make(recording, 1, 1, &t), CLUMP_RECORDING_OK);
    assert_int_equal(t.ranks, 1);
    assert_true(fabs(t.seconds[CLUMP_TIMELINE_COMPUTING] - 4) < 1e-5);
    assert_true(fabs(t.seconds[CLUMP_TIMELINE_TRANSFERRING] - 0.5) < 1e-5);
    assert_true(fabs(t.seconds[CLUMP_TIMELINE_OTHER] - 0.5) < 1e-5);
    clump_timeline_free(&t);
    clump_recording_close(recording);
    remove_folder(2);
}

UNIT_MAIN(NULL, NULL)
