/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages that are cut into parts: parts in any order, and parts that do not belong. */
#include "tests/unit/virtual_nodes.h"

#include "protocols/reliability/fragments.h"

enum { ROOM = 5000 };

static clump_assembly_step put(clump_assembly *a, unsigned char *bytes, const unsigned char *from,
                               uint32_t offset, uint32_t whole, uint32_t size)
{
    return clump_assembly_add(a, bytes, ROOM, offset, whole, from + offset % ROOM, size);
}

/* Every order: parts are shuffled by seed, some come twice. */
TEST(test_any_order)
{
    static unsigned char from[ROOM], to[ROOM];
    uint64_t random = 1;
    clump_assembly a = {0};
    for (unsigned round = 0; round < 3000; round++) {
        const uint32_t whole = 1 + (uint32_t)(clump_splitmix_next(&random) % ROOM),
                       least = whole / CLUMP_FRAGMENTS_MOST + 1,
                       most = least + (uint32_t)(clump_splitmix_next(&random) % (2 * whole));
        uint32_t order[CLUMP_FRAGMENTS_MOST], parts = 0, done = 0, there = 0;
        for (uint32_t i = 0; i < whole; i++) {
            from[i] = (unsigned char)clump_splitmix_next(&random);
            to[i] = (unsigned char)~from[i]; /* what a hole would show */
        }
        for (uint32_t size; (size = clump_fragment_size(whole, done, most)) > 0; done += size)
            order[parts++] = done;
        for (uint32_t i = parts; i-- > 1;) {
            const uint32_t k = (uint32_t)(clump_splitmix_next(&random) % (i + 1)), swap = order[i];
            order[i] = order[k];
            order[k] = swap;
        }
        for (uint32_t i = 0; i < parts; i++) {
            const uint32_t size = clump_fragment_size(whole, order[i], most);
            there += size;
            assert_int_equal(put(&a, to, from, order[i], whole, size),
                             there == whole ? CLUMP_ASSEMBLY_WHOLE : CLUMP_ASSEMBLY_MORE);
            if (there < whole && i % 3 == 0) /* again: refused, and nothing changes */
                assert_int_equal(put(&a, to, from, order[i], whole, size), CLUMP_ASSEMBLY_REFUSED);
        }
        assert_memory_equal(from, to, whole);
    }
}

TEST(test_refused)
{
    static unsigned char from[ROOM + 100], to[ROOM];
    clump_assembly a = {0};
    assert_int_equal(put(&a, to, from, 0, ROOM + 1, 100), CLUMP_ASSEMBLY_REFUSED);
    assert_int_equal(put(&a, to, from, 0, 100, 0), CLUMP_ASSEMBLY_REFUSED);
    assert_int_equal(put(&a, to, from, 100, 100, 1), CLUMP_ASSEMBLY_REFUSED);
    assert_int_equal(put(&a, to, from, 90, 100, 11), CLUMP_ASSEMBLY_REFUSED);
    assert_int_equal(put(&a, to, from, UINT32_MAX, 100, 2), CLUMP_ASSEMBLY_REFUSED);
    assert_int_equal(put(&a, to, from, 7, 100, 10), CLUMP_ASSEMBLY_REFUSED);    /* not at 10 k */
    assert_int_equal(put(&a, to, from, 1000, 3000, 1), CLUMP_ASSEMBLY_REFUSED); /* too many parts */
    assert_int_equal(put(&a, to, from, 30, 100, 30), CLUMP_ASSEMBLY_MORE);
    assert_int_equal(put(&a, to, from, 0, 101, 30), CLUMP_ASSEMBLY_REFUSED);  /* another message */
    assert_int_equal(put(&a, to, from, 60, 100, 20), CLUMP_ASSEMBLY_REFUSED); /* another size */
    assert_int_equal(put(&a, to, from, 45, 100, 30), CLUMP_ASSEMBLY_REFUSED); /* across two */
    assert_int_equal(put(&a, to, from, 80, 100, 20), CLUMP_ASSEMBLY_REFUSED); /* last, misplaced */
    assert_int_equal(put(&a, to, from, 0, 100, 100), CLUMP_ASSEMBLY_REFUSED); /* all of it */
    assert_int_equal(put(&a, to, from, 90, 100, 10), CLUMP_ASSEMBLY_MORE);
    assert_int_equal(put(&a, to, from, 90, 100, 10), CLUMP_ASSEMBLY_REFUSED);
    assert_int_equal(put(&a, to, from, 0, 100, 30), CLUMP_ASSEMBLY_MORE);
    assert_int_equal(put(&a, to, from, 60, 100, 30), CLUMP_ASSEMBLY_WHOLE);
    /* The last part first: the others must fit to it. */
    assert_int_equal(put(&a, to, from, 90, 100, 10), CLUMP_ASSEMBLY_MORE);
    assert_int_equal(put(&a, to, from, 0, 100, 40), CLUMP_ASSEMBLY_REFUSED);
    assert_int_equal(put(&a, to, from, 0, 100, 5), CLUMP_ASSEMBLY_REFUSED); /* last is larger */
    assert_int_equal(put(&a, to, from, 45, 100, 45), CLUMP_ASSEMBLY_MORE);
    assert_int_equal(put(&a, to, from, 0, 100, 45), CLUMP_ASSEMBLY_WHOLE);
    assert_int_equal(put(&a, to, from, 0, 100, 45), CLUMP_ASSEMBLY_MORE);
    clump_assembly_restart(&a);
    assert_int_equal(put(&a, to, from, 0, 90, 30), CLUMP_ASSEMBLY_MORE); /* of another one */
}

UNIT_MAIN(NULL, NULL)
