/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The translation tables of remote copy. First each case by itself; then nodes whose kernels move
 * pages about as soon as nothing pins them, in any order of steps: a NIC that used a translation
 * too long would read or write another page, and every word is looked at in the end.
 */
#include "reproductions/virtual/splitmix.h"
#include "reproductions/virtual/translation.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"

enum { NODES = 3, PAGES = 12, FRAMES = PAGES, WORDS = 8, QUEUE = 64, ANONYMOUS_MOST = 4 };

/* One process: its pages lie in frames, and where changes while they are not pinned. */
struct kernel {
    uint32_t memory[FRAMES][WORDS], frame_of[PAGES];
    unsigned pins[PAGES], pinned, most;
    uint64_t *random;
};

static bool pin(void *context, uint64_t page, uint64_t *frame)
{
    struct kernel *k = context;
    if (page >= PAGES)
        return false;
    k->pinned += k->pins[page]++ == 0;
    k->most = k->pinned > k->most ? k->pinned : k->most;
    *frame = k->frame_of[page];
    return true;
}

/* Two pages change places. */
static void move(struct kernel *k, unsigned a, unsigned b)
{
    uint32_t words[WORDS];
    const uint32_t from = k->frame_of[a], to = k->frame_of[b];
    memcpy(words, k->memory[from], sizeof words);
    memcpy(k->memory[from], k->memory[to], sizeof words);
    memcpy(k->memory[to], words, sizeof words);
    k->frame_of[a] = to;
    k->frame_of[b] = from;
}

static void move_any(struct kernel *k)
{
    const unsigned a = clump_splitmix_next(k->random) % PAGES,
                   b = clump_splitmix_next(k->random) % PAGES;
    if (k->pins[a] == 0 && k->pins[b] == 0)
        move(k, a, b);
}

static void unpin(void *context, uint64_t page)
{
    struct kernel *k = context;
    assert_true(page < PAGES && k->pins[page] > 0);
    k->pinned -= --k->pins[page] == 0;
    for (unsigned i = 0; i < PAGES && k->pins[page] == 0; i++)
        if (i != page && k->pins[i] == 0) { /* at once, to one that is free */
            move(k, (unsigned)page, i);
            break;
        }
}

static void kernel_make(struct kernel *k, uint64_t *random)
{
    *k = (struct kernel){.random = random};
    for (uint32_t i = 0; i < PAGES; i++)
        k->frame_of[i] = i;
}

/* ---- each case by itself, with 4 entries and 2 anonymous pages */

struct alone {
    uint64_t random;
    struct kernel kernel;
    clump_host_table *host;
    clump_nic_table *nic;
};

static void alone_open(struct alone *a)
{
    kernel_make(&a->kernel, &a->random);
    const clump_pinning pinning = {pin, unpin, &a->kernel};
    assert_int_equal(clump_host_table_open(4, &pinning, &a->host), CLUMP_PROTOCOL_OK);
    assert_int_equal(clump_nic_table_open(4, 2, &a->nic), CLUMP_PROTOCOL_OK);
}

static void alone_close(struct alone *a)
{
    assert_null(clump_translation_check(a->host, a->nic));
    clump_host_table_close(a->host);
    clump_nic_table_close(a->nic);
    assert_int_equal(a->kernel.pinned, 0);
}

/* Post and complete a transfer from a page. @return how it went */
static clump_copy_completion sends(struct alone *a, uint64_t page)
{
    clump_copy_source source;
    clump_copy_completion completion;
    uint64_t frame = UINT64_MAX;
    assert_int_equal(clump_host_table_source(a->host, page, &source), CLUMP_PROTOCOL_OK);
    assert_int_equal(clump_nic_table_source(a->nic, &source, &frame, &completion),
                     CLUMP_PROTOCOL_OK);
    if (source.kind == CLUMP_COPY_HIT)
        assert_int_equal(frame, a->kernel.frame_of[page]);
    assert_int_equal(clump_host_table_completed(a->host, &completion), CLUMP_PROTOCOL_OK);
    assert_null(clump_translation_check(a->host, a->nic));
    return completion;
}

TEST(test_source)
{
    struct alone a;
    alone_open(&a);
    clump_copy_completion c = sends(&a, 1); /* a miss, which brings the page into both tables */
    assert_true(c.kind == CLUMP_COPY_MISS && c.installed);
    assert_true(sends(&a, 1).kind == CLUMP_COPY_HIT);
    assert_true(sends(&a, 2).kind == CLUMP_COPY_MISS); /* another entry */
    assert_int_equal(a.kernel.pinned, 2);
    assert_true(sends(&a, 5).kind == CLUMP_COPY_MISS); /* 5 mod 4 = 1: replaces page 1 */
    assert_int_equal(a.kernel.pins[1], 0);
    assert_int_equal(a.kernel.pinned, 2);
    assert_true(sends(&a, 1).kind == CLUMP_COPY_MISS);

    /* While a replacement is under way, a second transfer waits for nothing, and pins nothing. */
    clump_copy_source first, second, third;
    clump_copy_completion done;
    uint64_t frame;
    assert_int_equal(clump_host_table_source(a.host, 1, &first), CLUMP_PROTOCOL_OK);
    assert_int_equal(clump_host_table_source(a.host, 9, &second), CLUMP_PROTOCOL_OK);
    assert_int_equal(clump_host_table_source(a.host, 9, &third), CLUMP_PROTOCOL_OK);
    assert_true(first.kind == CLUMP_COPY_HIT && second.kind == CLUMP_COPY_MISS &&
                third.kind == CLUMP_COPY_STORED);
    assert_int_equal(a.kernel.pinned, 3);
    assert_int_equal(clump_nic_table_source(a.nic, &first, &frame, &done), CLUMP_PROTOCOL_OK);
    assert_int_equal(frame, a.kernel.frame_of[1]);
    assert_int_equal(clump_host_table_completed(a.host, &done), CLUMP_PROTOCOL_OK);
    assert_int_equal(clump_nic_table_source(a.nic, &second, &frame, &done), CLUMP_PROTOCOL_OK);
    assert_int_equal(a.kernel.pins[1], 1); /* until the host knows */
    assert_int_equal(clump_host_table_completed(a.host, &done), CLUMP_PROTOCOL_OK);
    assert_int_equal(a.kernel.pins[1], 0);
    assert_int_equal(clump_nic_table_source(a.nic, &third, &frame, &done), CLUMP_PROTOCOL_OK);
    assert_int_equal(clump_host_table_completed(a.host, &done), CLUMP_PROTOCOL_OK);
    assert_true(sends(&a, 9).kind == CLUMP_COPY_HIT);

    assert_int_equal(clump_host_table_source(a.host, PAGES, &first), CLUMP_PROTOCOL_NOT_FOUND);
    assert_int_equal(clump_host_table_count(a.host).refused, 1);
    alone_close(&a);
}

TEST(test_destination)
{
    struct alone a;
    clump_copy_notice first, second, other;
    clump_copy_update update;
    uint64_t frame;
    alone_open(&a);
    sends(&a, 3);
    assert_int_equal(clump_nic_table_destination(a.nic, 3, &frame, &first), CLUMP_PROTOCOL_OK);
    assert_int_equal(frame, a.kernel.frame_of[3]);

    /* Page 7 takes the place of page 3: two packets are redirected, one of them asks. */
    assert_int_equal(clump_nic_table_destination(a.nic, 7, &frame, &first),
                     CLUMP_PROTOCOL_NOT_FOUND);
    assert_int_equal(clump_nic_table_destination(a.nic, 7, &frame, &second),
                     CLUMP_PROTOCOL_NOT_FOUND);
    assert_true(first.replace && !second.replace && first.anonymous != second.anonymous);
    assert_int_equal(clump_nic_table_destination(a.nic, 0, &frame, &other),
                     CLUMP_PROTOCOL_BLOCKED); /* both anonymous pages are in use */
    assert_false(clump_host_table_next(a.host, &update));
    assert_int_equal(clump_host_table_notified(a.host, &first), CLUMP_PROTOCOL_OK);
    assert_int_equal(clump_host_table_notified(a.host, &first), CLUMP_PROTOCOL_BAD_PACKET);
    assert_int_equal(clump_nic_table_give(a.nic, first.anonymous), CLUMP_PROTOCOL_OK);
    assert_int_equal(clump_nic_table_give(a.nic, first.anonymous), CLUMP_PROTOCOL_BAD_INPUT);
    assert_int_equal(clump_nic_table_give(a.nic, 2), CLUMP_PROTOCOL_BAD_INPUT);
    assert_true(clump_host_table_next(a.host, &update));
    assert_false(clump_host_table_next(a.host, &update));
    assert_true(update.valid && update.page == 7 && update.entry == 3);
    assert_int_equal(update.frame, a.kernel.frame_of[7]);
    assert_int_equal(clump_nic_table_update(a.nic, &update), CLUMP_PROTOCOL_OK);
    assert_int_equal(clump_nic_table_update(a.nic, &update), CLUMP_PROTOCOL_BAD_INPUT);
    assert_true(a.kernel.pins[3] == 0 && a.kernel.pins[7] == 1);
    /* What was redirected must be copied before what comes now is written. */
    assert_int_equal(clump_nic_table_destination(a.nic, 7, &frame, &other), CLUMP_PROTOCOL_BLOCKED);
    assert_int_equal(clump_host_table_notified(a.host, &second), CLUMP_PROTOCOL_OK);
    assert_int_equal(clump_nic_table_give(a.nic, second.anonymous), CLUMP_PROTOCOL_OK);
    assert_int_equal(clump_nic_table_destination(a.nic, 7, &frame, &other), CLUMP_PROTOCOL_OK);
    assert_int_equal(frame, a.kernel.frame_of[7]);

    /* A page that is not the process's: the entry is unlocked as it was. */
    assert_int_equal(clump_nic_table_destination(a.nic, UINT64_MAX, &frame, &first),
                     CLUMP_PROTOCOL_NOT_FOUND); /* 2^64 - 1 mod 4 = 3 */
    assert_int_equal(clump_host_table_notified(a.host, &first), CLUMP_PROTOCOL_OK);
    assert_int_equal(clump_nic_table_give(a.nic, first.anonymous), CLUMP_PROTOCOL_OK);
    assert_true(clump_host_table_next(a.host, &update));
    assert_int_equal(clump_nic_table_update(a.nic, &update), CLUMP_PROTOCOL_OK);
    assert_int_equal(clump_nic_table_destination(a.nic, 7, &frame, &other), CLUMP_PROTOCOL_OK);
    assert_true(sends(&a, 7).kind == CLUMP_COPY_HIT);
    alone_close(&a);
}

/* Hits, a miss at the source and one at the destination meet in one entry. */
TEST(test_meeting)
{
    struct alone a;
    clump_copy_source hit, miss, stored;
    clump_copy_completion of_hit, of_miss, done;
    clump_copy_notice notice;
    clump_copy_update update;
    uint64_t frame;
    alone_open(&a);
    sends(&a, 2);
    assert_int_equal(clump_host_table_source(a.host, 2, &hit), CLUMP_PROTOCOL_OK);
    assert_int_equal(clump_host_table_source(a.host, 6, &miss), CLUMP_PROTOCOL_OK);
    assert_int_equal(clump_nic_table_destination(a.nic, 10, &frame, &notice),
                     CLUMP_PROTOCOL_NOT_FOUND);
    /* The hit was posted before: its page is still there, though nothing is written to it. */
    assert_int_equal(clump_nic_table_source(a.nic, &hit, &frame, &of_hit), CLUMP_PROTOCOL_OK);
    assert_int_equal(frame, a.kernel.frame_of[2]);
    assert_int_equal(clump_nic_table_source(a.nic, &miss, &frame, &of_miss), CLUMP_PROTOCOL_OK);
    assert_false(of_miss.installed);
    assert_int_equal(clump_host_table_notified(a.host, &notice), CLUMP_PROTOCOL_OK);
    assert_false(clump_host_table_next(a.host, &update));
    assert_int_equal(clump_host_table_source(a.host, 2, &stored), CLUMP_PROTOCOL_OK);
    assert_true(stored.kind == CLUMP_COPY_STORED); /* or the entry might never be free */
    assert_int_equal(clump_host_table_completed(a.host, &of_hit), CLUMP_PROTOCOL_OK);
    assert_false(clump_host_table_next(a.host, &update));
    assert_int_equal(clump_host_table_completed(a.host, &of_miss), CLUMP_PROTOCOL_OK);
    assert_int_equal(clump_host_table_completed(a.host, &of_miss), CLUMP_PROTOCOL_BAD_PACKET);
    assert_true(clump_host_table_next(a.host, &update));
    assert_int_equal(update.page, 10);
    assert_true(a.kernel.pinned == 1 && a.kernel.pins[10] == 1);
    assert_int_equal(clump_nic_table_update(a.nic, &update), CLUMP_PROTOCOL_OK);
    assert_int_equal(clump_nic_table_source(a.nic, &stored, &frame, &done), CLUMP_PROTOCOL_OK);
    /* A descriptor that says hit without a right to. */
    assert_int_equal(clump_nic_table_source(a.nic, &hit, &frame, &done), CLUMP_PROTOCOL_BAD_INPUT);
    assert_int_equal(clump_host_table_completed(a.host, &of_hit), CLUMP_PROTOCOL_BAD_PACKET);
    assert_int_equal(clump_nic_table_give(a.nic, notice.anonymous), CLUMP_PROTOCOL_OK);
    alone_close(&a);
}

TEST(test_arguments)
{
    clump_host_table *host = NULL;
    clump_nic_table *nic = NULL;
    const clump_pinning good = {pin, unpin, NULL}, bad = {NULL, unpin, NULL};
    assert_int_equal(clump_host_table_open(0, &good, &host), CLUMP_PROTOCOL_BAD_INPUT);
    assert_int_equal(clump_host_table_open((1 << 20) + 1, &good, &host), CLUMP_PROTOCOL_BAD_INPUT);
    assert_int_equal(clump_host_table_open(4, &bad, &host), CLUMP_PROTOCOL_BAD_INPUT);
    assert_int_equal(clump_nic_table_open(4, 0, &nic), CLUMP_PROTOCOL_BAD_INPUT);
    assert_int_equal(clump_nic_table_open(4, 4097, &nic), CLUMP_PROTOCOL_BAD_INPUT);
    assert_int_equal(clump_nic_table_open(0, 4, &nic), CLUMP_PROTOCOL_BAD_INPUT);
    assert_true(host == NULL && nic == NULL);
    clump_host_table_close(NULL);
    clump_nic_table_close(NULL);
}

/* What another node may write in front of its data. */
TEST(test_addresses)
{
    static const struct {
        uint64_t address;
        size_t data;
        bool good;
    } cases[] = {{0, 4096, true},
                 {0, 4097, false},
                 {4, 4092, true},
                 {4, 4093, false},
                 {4092, 4, true},
                 {4092, 5, false},
                 {4092, 0, true},
                 {1, 4, false},
                 {2, 4, false},
                 {3, 4, false},
                 {UINT64_MAX, 0, false},
                 {UINT64_MAX - 3, 4, true},
                 {UINT64_MAX - 3, 5, false},
                 {0x123456789abcdef0, 16, true}};
    unsigned char bytes[CLUMP_COPY_ADDRESS_BYTES];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t page = 77;
        uint32_t offset = 77;
        clump_copy_address_encode(cases[i].address, bytes);
        assert_int_equal(
            clump_copy_address_decode(bytes, sizeof bytes + cases[i].data, &page, &offset),
            cases[i].good);
        if (cases[i].good)
            assert_true(page * 4096 + offset == cases[i].address && offset < 4096);
        else
            assert_true(page == 77 && offset == 77);
        assert_false(clump_copy_address_decode(bytes, 7, &page, &offset));
    }
}

/* ---- any order of steps */

struct copy { /* one word from page to page, as descriptor and as packet */
    clump_copy_source source;
    uint64_t page;
    uint32_t word, from_word, value;
    unsigned from, to;
};

struct told { /* from the NIC to its host */
    bool completion;
    clump_copy_completion done;
    clump_copy_notice notice;
    uint32_t word;
};

struct node {
    struct kernel kernel;
    clump_host_table *host;
    clump_nic_table *nic;
    struct copy descriptors[QUEUE], packets[QUEUE]; /* rings */
    struct told told[QUEUE];
    unsigned first_descriptor, descriptors_in, first_packet, packets_in, first_told, told_in;
    uint32_t anonymous[ANONYMOUS_MOST];
    uint32_t expected[PAGES][WORDS];
    unsigned strangers; /* packets for pages that it has not */
};

struct cluster {
    struct node node[NODES];
    uint64_t random;
    unsigned left, wild;
};

static unsigned below(struct cluster *c, unsigned most)
{
    return (unsigned)(clump_splitmix_next(&c->random) % most);
}

/* Words 0 to 2 of a page are written, each by one node; the others are read. */
static void host_sends(struct cluster *c, unsigned i)
{
    struct node *n = &c->node[i];
    const unsigned to = (i + 1 + below(c, NODES - 1)) % NODES;
    struct copy copy = {.from = i, .to = to, .word = i, .page = below(c, PAGES)};
    const unsigned page = below(c, PAGES), word = NODES + below(c, WORDS - NODES);
    if (n->descriptors_in == QUEUE || c->left == 0)
        return;
    if (below(c, 100) < c->wild)
        copy.page = PAGES + clump_splitmix_next(&c->random) / 2;
    assert_int_equal(clump_host_table_source(n->host, page, &copy.source), CLUMP_PROTOCOL_OK);
    copy.from_word = word;
    if (copy.source.kind != CLUMP_COPY_HIT) /* the processor stores them in NIC memory */
        copy.value = n->kernel.memory[n->kernel.frame_of[page]][word];
    if (copy.page < PAGES)
        c->node[to].expected[copy.page][i] = n->kernel.memory[n->kernel.frame_of[page]][word];
    else
        c->node[to].strangers++;
    n->descriptors[(n->first_descriptor + n->descriptors_in++) % QUEUE] = copy;
    c->left--;
}

static void nic_sends(struct cluster *c, unsigned i)
{
    struct node *n = &c->node[i];
    if (n->descriptors_in == 0 || n->told_in == QUEUE)
        return;
    struct copy copy = n->descriptors[n->first_descriptor];
    struct node *to = &c->node[copy.to];
    struct told told = {.completion = true};
    uint64_t frame = 0;
    if (to->packets_in == QUEUE)
        return;
    assert_int_equal(clump_nic_table_source(n->nic, &copy.source, &frame, &told.done),
                     CLUMP_PROTOCOL_OK);
    if (copy.source.kind == CLUMP_COPY_HIT) {
        assert_true(n->kernel.pins[copy.source.page] > 0);
        copy.value = n->kernel.memory[frame][copy.from_word];
    }
    n->first_descriptor = (n->first_descriptor + 1) % QUEUE;
    n->descriptors_in--;
    n->told[(n->first_told + n->told_in++) % QUEUE] = told;
    to->packets[(to->first_packet + to->packets_in++) % QUEUE] = copy;
}

static void nic_receives(struct cluster *c, unsigned i)
{
    struct node *n = &c->node[i];
    if (n->packets_in == 0 || n->told_in == QUEUE)
        return;
    const struct copy *copy = &n->packets[n->first_packet];
    struct told told = {.word = copy->word};
    uint64_t frame = 0;
    const clump_protocol_status status =
        clump_nic_table_destination(n->nic, copy->page, &frame, &told.notice);
    if (status == CLUMP_PROTOCOL_BLOCKED)
        return;
    if (status == CLUMP_PROTOCOL_OK) {
        assert_true(copy->page < PAGES && n->kernel.pins[copy->page] > 0);
        n->kernel.memory[frame][copy->word] = copy->value;
    } else {
        n->anonymous[told.notice.anonymous] = copy->value;
        n->told[(n->first_told + n->told_in++) % QUEUE] = told;
    }
    n->first_packet = (n->first_packet + 1) % QUEUE;
    n->packets_in--;
}

static void host_is_told(struct cluster *c, unsigned i)
{
    struct node *n = &c->node[i];
    clump_copy_update update;
    if (n->told_in == 0)
        return;
    const struct told told = n->told[n->first_told];
    n->first_told = (n->first_told + 1) % QUEUE;
    n->told_in--;
    if (told.completion) {
        assert_int_equal(clump_host_table_completed(n->host, &told.done), CLUMP_PROTOCOL_OK);
    } else {
        if (told.notice.page < PAGES)
            n->kernel.memory[n->kernel.frame_of[told.notice.page]][told.word] =
                n->anonymous[told.notice.anonymous];
        else
            n->strangers--;
        n->anonymous[told.notice.anonymous] = 0xdead;
        assert_int_equal(clump_host_table_notified(n->host, &told.notice), CLUMP_PROTOCOL_OK);
        assert_int_equal(clump_nic_table_give(n->nic, told.notice.anonymous), CLUMP_PROTOCOL_OK);
    }
    while (clump_host_table_next(n->host, &update))
        assert_int_equal(clump_nic_table_update(n->nic, &update), CLUMP_PROTOCOL_OK);
}

static void cluster_open(struct cluster *c, uint64_t seed, uint32_t entries, uint32_t anonymous)
{
    *c = (struct cluster){.random = seed};
    for (unsigned i = 0; i < NODES; i++) {
        struct node *n = &c->node[i];
        kernel_make(&n->kernel, &c->random);
        for (unsigned p = 0; p < PAGES; p++)
            for (unsigned w = NODES; w < WORDS; w++)
                n->expected[p][w] = n->kernel.memory[p][w] = 1000000 * (i + 1) + 1000 * p + w;
        const clump_pinning pinning = {pin, unpin, &n->kernel};
        assert_int_equal(clump_host_table_open(entries, &pinning, &n->host), CLUMP_PROTOCOL_OK);
        assert_int_equal(clump_nic_table_open(entries, anonymous, &n->nic), CLUMP_PROTOCOL_OK);
    }
}

static bool busy(const struct cluster *c)
{
    bool any = c->left > 0;
    for (unsigned i = 0; i < NODES; i++)
        any |= c->node[i].descriptors_in + c->node[i].packets_in + c->node[i].told_in > 0;
    return any;
}

static void run_cluster(struct cluster *c, uint32_t entries)
{
    void (*const steps[])(struct cluster *, unsigned) = {host_sends, nic_sends, nic_receives,
                                                         host_is_told};
    unsigned idle = 0;
    while (busy(c)) {
        const unsigned i = below(c, NODES);
        steps[below(c, 4)](c, i);
        if (below(c, 8) == 0)
            move_any(&c->node[i].kernel);
        assert_true(++idle < 100000000); /* nothing ever waits for ever */
        const char *wrong = clump_translation_check(c->node[i].host, c->node[i].nic);
        if (wrong != NULL)
            fail_msg("%s", wrong);
    }
    for (unsigned i = 0; i < NODES; i++) {
        struct node *n = &c->node[i];
        for (unsigned p = 0; p < PAGES; p++)
            assert_memory_equal(n->kernel.memory[n->kernel.frame_of[p]], n->expected[p],
                                sizeof n->expected[p]);
        assert_int_equal(n->strangers, 0);
        assert_true(n->kernel.most <= 2 * entries);
        assert_true(clump_host_table_pinned(n->host) <= entries);
        clump_host_table_close(n->host);
        clump_nic_table_close(n->nic);
        assert_int_equal(n->kernel.pinned, 0);
    }
}

TEST(test_any_order)
{
    static const uint32_t entries[] = {1, 2, 4, 5, 16};
    const unsigned copies = getenv("CLUMP_TEST_LONG") != NULL ? 200000 : 2000;
    for (unsigned e = 0; e < sizeof entries / sizeof *entries; e++)
        for (uint32_t anonymous = 1; anonymous <= ANONYMOUS_MOST; anonymous++)
            for (unsigned wild = 0; wild < 20; wild += 10) {
                static struct cluster c;
                cluster_open(&c, e * 100 + anonymous * 10 + wild, entries[e], anonymous);
                c.left = copies;
                c.wild = wild;
                run_cluster(&c, entries[e]);
            }
}

UNIT_MAIN(NULL, NULL)
