/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Facts of NCCL 2.8.4 (github.com/NVIDIA/nccl, tag v2.8.4-1):
 *   src/graph/tuning.cc   latencies, bandwidths, the estimate of a call, when LL128 is on
 *   src/graph/search.cc   which speeds channels may have; those of 25 GB/s and more are halved
 *   src/graph/connect.cc  each channel is there twice
 *   src/enqueue.cc        how many channels and threads a call of so many bytes gets; the least estimate wins
 *   src/init.cc, src/include/devcomm.h  sizes of buffers
 * Bandwidths are in GB/s, latencies in us.
 */
#include "model/workload/nccl.h"

#include <math.h>

enum { TREE, RING, ALGORITHMS };
enum { PROTOCOLS = CLUMP_NCCL_SIMPLE + 1 };
enum { INSIDE_NVLINK, INSIDE_PCIE, BETWEEN };

#define MOST_CHANNELS 32
#define AMPERE_MOST_GB 235 /* of all channels */
#define PCIE_GB 12
/* LL: 8 lines of 16 bytes for each of 512 threads a step, of which half is data. */
#define LL_PIECE 32768.0

static const double base_us[ALGORITHMS][PROTOCOLS] = {{4.4, 4.4, 0}, {3.6, 10.0, 8.4}};

static const double hop_us[][ALGORITHMS][PROTOCOLS] = {
    [INSIDE_NVLINK] = {{0.52, 1.25, 28}, {0.47, 1.9, 3.4}},
    [INSIDE_PCIE] = {{1.0, 1.9, 28}, {1.0, 2.5, 5.7}},
    [BETWEEN] = {{5.0, 8.5, 28}, {2.7, 4.0, 9.6}},
};

/* One node, two, more. */
static const double most_ll[][3] = {{39.0, 39.0, 20.4}, {87.7, 22.5, 19.0}};
static const double most_of_tree_channel[][3] = {{26.5, 18.5, 10.0}, {24.0, 22.5, 16.0}};

/* By what NCCL corrects the bandwidth of trees: for 64 bytes, 128 and so on. */
#define CORRECTIONS 23
static const double of_tree[PROTOCOLS][CORRECTIONS] = {
    {1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1},
    {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .5, .6, .6, .7, .7, .8, .9, .9, .92, .92},
    {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9}};

static const double speeds[] = {42, 30, 24, 21, 18, 15,  12,  10,   9,
                                7,  6,  5,  4,  3,  2.4, 1.2, 0.24, 0.12};

const char *clump_nccl_way_name(bool tree, clump_nccl_protocol protocol)
{
    static const char *const names[][3] = {{"ring LL", "ring LL128", "ring Simple"},
                                           {"tree LL", "tree LL128", "tree Simple"}};
    return protocol >= CLUMP_NCCL_LL && protocol <= CLUMP_NCCL_SIMPLE ? names[tree][protocol]
                                                                      : NULL;
}

/* ---- channels */

typedef struct channel_set {
    double count; /* in the graph; each is there twice */
    double gb;    /* of one */
    double tree_gb;
} channel_set;

static double speed_below(double gb)
{
    size_t i = 0;
    while (i + 1 < sizeof speeds / sizeof *speeds && speeds[i] > gb * (1 + 1e-9))
        i++;
    return fmin(speeds[i], gb);
}

/* Fast ones are halved. */
static channel_set halve(channel_set c)
{
    if (c.gb >= 25) {
        const double twice = fmin(2 * c.count, MOST_CHANNELS / 2);
        c.gb /= ceil(twice / c.count);
        c.count = twice;
    }
    return c;
}

static channel_set inside_channels(const clump_nccl_node *n)
{
    const double gb = speed_below(n->inside_gb);
    const double count = fmin(floor(n->inside_gb / gb * (1 + 1e-9)), MOST_CHANNELS / 2);
    channel_set c = halve((channel_set){count, gb, 0});
    c.tree_gb = c.gb;
    return c;
}

static channel_set between_channels(const clump_nccl_node *n)
{
    const double gb = fmin(speed_below(n->nic_gb), n->inside_gb);
    const double of_nics = n->nics * floor(n->nic_gb / gb * (1 + 1e-9));
    const double inside = n->gpus > 1 ? floor(n->inside_gb / gb * (1 + 1e-9)) : of_nics;
    channel_set c =
        halve((channel_set){fmax(1, fmin(fmin(of_nics, inside), MOST_CHANNELS / 2)), gb, 0});
    c.tree_gb = fmax(c.gb, speed_below(fmin(2 * c.gb, n->inside_gb / c.count)));
    return c;
}

/* ---- NCCL's model */

typedef struct estimate {
    double us, gb; /* a call of n bytes takes us + n/gb */
} estimate;

typedef struct nccl_system {
    const clump_nccl_node *node;
    clump_collective_kind kind;
    double ranks, steps, between_steps;
    int nodes_index;            /* of the tables */
    channel_set inside, across; /* across: of all ranks */
    double most_gb;             /* across, of what is on the wire */
    estimate of[ALGORITHMS][PROTOCOLS];
} nccl_system;

static bool copies(clump_collective_kind kind)
{
    return kind == CLUMP_COLLECTIVE_BROADCAST || kind == CLUMP_COLLECTIVE_ALLGATHER ||
           kind == CLUMP_COLLECTIVE_REDUCE_SCATTER;
}

static double most_of_ll128_channel(clump_collective_kind kind)
{
    switch (kind) {
    case CLUMP_COLLECTIVE_BROADCAST:
        return 18.8;
    case CLUMP_COLLECTIVE_ALLGATHER:
        return 18.3;
    case CLUMP_COLLECTIVE_REDUCE_SCATTER:
        return 15.2;
    default:
        return 16.9;
    }
}

/* Of what is on the wire these are data. */
static const double data_share[PROTOCOLS] = {0.5, 120.0 / 128, 1};

/* What all channels `c` carry, of the bytes that go around a ring, or along the links of a tree. */
static double bus_gb(const nccl_system *s, const channel_set *c, int algorithm, int protocol,
                     bool one)
{
    const clump_nccl_node *n = s->node;
    const int nodes = one ? 0 : s->nodes_index;
    const bool ampere = n->gpu == CLUMP_NCCL_AMPERE;
    const double channel = algorithm == TREE && nodes < 2 ? c->tree_gb : c->gb;
    const double ll = most_ll[nodes == 0 ? ampere : n->amd][nodes];
    double gb = c->count * channel;
    if (ampere)
        gb = fmin(gb, AMPERE_MOST_GB);
    if (algorithm == TREE) {
        gb = fmin(gb * 0.92, c->count * most_of_tree_channel[ampere][nodes]);
        if (protocol == CLUMP_NCCL_LL)
            gb = fmin(gb / 3.8, ll);
        else if (protocol == CLUMP_NCCL_LL128)
            gb = fmin(gb * (nodes == 0 ? 7.0 / 9 : 0.915),
                      most_of_ll128_channel(s->kind) * c->count);
    } else if (protocol == CLUMP_NCCL_LL) {
        gb = fmin(gb / (nodes == 0 && copies(s->kind) ? 3 : 4), ll);
    } else if (protocol == CLUMP_NCCL_LL128) {
        gb = fmin(gb * (n->gpus < 2 ? 0.7 : 0.92), most_of_ll128_channel(s->kind) * c->count);
    }
    /* Of two nodes each is a leaf of one tree, and sends half as much as one in the middle. */
    const double wires = algorithm == TREE && nodes < 2 ? 2 : 1;
    return one ? gb : fmin(gb, wires * s->most_gb * data_share[protocol]);
}

static double inside_hop_us(const nccl_system *s, int algorithm, int protocol)
{
    const double us = hop_us[s->node->nvlink ? INSIDE_NVLINK : INSIDE_PCIE][algorithm][protocol];
    return s->node->nodes > 1 && protocol == CLUMP_NCCL_LL ? 1.8 * us : us;
}

static double depth(double nodes)
{
    return floor(log2(nodes) + 1e-9);
}

/* A rank hears of a broadcast when those before it in the ring have. */
static double broadcast_us(const nccl_system *s, int protocol)
{
    const clump_nccl_node *n = s->node;
    const int where = n->nodes > 1 ? BETWEEN : n->nvlink ? INSIDE_NVLINK : INSIDE_PCIE;
    const bool same = n->nodes > 1 ? s->across.count < 1.5 : n->nvswitch || !n->nvlink;
    if (same)
        return hop_us[where][RING][protocol];
    return s->steps * hop_us[where][protocol == CLUMP_NCCL_SIMPLE ? TREE : RING][protocol];
}

/* Where a flag arrives with its data: between GPUs that NVLink joins (or that are alone in their nodes), and through NICs
 * behind their switches. */
static bool keeps_lines_whole(const clump_nccl_node *n)
{
    return (n->nvlink || n->gpus < 2) && (n->nodes < 2 || n->near);
}

static void estimate_all(nccl_system *s)
{
    const clump_nccl_node *n = s->node;
    for (int a = 0; a < ALGORITHMS; a++)
        for (int p = 0; p < PROTOCOLS; p++) {
            const double inside = inside_hop_us(s, a, p), between = hop_us[BETWEEN][a][p];
            double us = base_us[a][p];
            if (a == TREE)
                us += 2 * ((n->gpus - 1) * inside + depth(n->nodes) * between);
            else if (s->kind == CLUMP_COLLECTIVE_BROADCAST)
                us += broadcast_us(s, p);
            else
                us += (s->steps - s->between_steps) * inside + s->between_steps * between;
            const bool known = (a == RING || s->kind == CLUMP_COLLECTIVE_ALLREDUCE) &&
                               (p != CLUMP_NCCL_LL128 || keeps_lines_whole(n));
            const double ratio = a == TREE ? 0.5 : s->ranks / s->steps;
            s->of[a][p] = (estimate){us, known ? bus_gb(s, &s->across, a, p, false) * ratio : 0};
        }
}

static double estimate_us(const nccl_system *s, double bytes, int a, int p)
{
    const double doubled = floor(log2(fmax(bytes / 64, 1)) + 1e-9);
    double us = s->of[a][p].us, gb = s->of[a][p].gb;
    if (a == TREE && doubled < CORRECTIONS)
        gb *= of_tree[p][(int)doubled];
    if (a == RING && p == CLUMP_NCCL_SIMPLE && s->node->nodes > 1 &&
        s->kind == CLUMP_COLLECTIVE_ALLREDUCE && bytes >= s->ranks / 16 * 65536)
        us *= 1.9;
    return us + bytes / (1000 * gb);
}

/* Channels that a call gets: fewer while each thread has too little to do. */
static double channels_of(const nccl_system *s, double bytes, int a, int p)
{
    const bool slow = a == RING && s->across.count * s->across.gb <= PCIE_GB;
    const double threads = p == CLUMP_NCCL_LL128 ? 640 : p == CLUMP_NCCL_SIMPLE && slow ? 256 : 512;
    const double each =
        (p == CLUMP_NCCL_SIMPLE ? 64 : 8) * (a == RING && p == CLUMP_NCCL_LL ? s->ranks : 1);
    return fmax(1, fmin(2 * s->across.count, floor(bytes / (threads * each) + 1e-9)));
}

/* Of a channel that is alone: halved while they have too little to do, down to two warps. */
static double threads_of(const nccl_system *s, double bytes, double channels)
{
    double threads = 512;
    while (channels < 1.5 && threads > 64 && bytes < threads * 8 * s->ranks)
        threads /= 2;
    return threads;
}

/* ---- LL, from GPU to GPU */

/*
 * Broadcasts that follow each other, between nodes. In each turn a thread of a channel waits for a line that the NIC has written, with 8
 * bytes of data, and passes it on; lines that lie in memory of the host cost a step over PCIe. They go over the NIC
 * with their flags. With one channel a rank begins the next broadcast when it has passed this one on. With more, whose rings go
 * around in different orders, who is early in one is late in another: the next one begins when a broadcast has gone around,
 * of which a piece waits for the NIC in each node.
 */
static double ll_in_a_row_us(const nccl_system *s, double bytes, double channels)
{
    const clump_nccl_node *n = s->node;
    const double inside = inside_hop_us(s, RING, CLUMP_NCCL_LL);
    const double between = hop_us[BETWEEN][RING][CLUMP_NCCL_LL];
    const double base = base_us[RING][CLUMP_NCCL_LL], part = bytes / channels;
    const double lines = 8 * threads_of(s, bytes, channels);
    const double turn = hop_us[n->near ? INSIDE_NVLINK : INSIDE_PCIE][RING][CLUMP_NCCL_LL];
    const double wire = 2 / (1000 * s->across.gb); /* us of a byte */
    if (channels < 1.5)
        return base + ceil(fmax(part, 1) / lines) * turn + part * wire;
    const double piece = fmin(part, LL_PIECE);
    const double each = fmax(turn / lines + wire, 2 * channels / (1000 * n->nics * n->nic_gb));
    return base + s->between_steps * (between + piece * (turn / lines + wire)) +
           (s->steps - s->between_steps) * inside + (part - piece) * each;
}

/* A part of c bytes goes on when all of it has come, or a piece of it. */
static double ll_us(const nccl_system *s, double bytes, int a, double channels, bool in_a_row)
{
    const clump_nccl_node *n = s->node;
    const double inside_gb = bus_gb(s, &s->inside, a, CLUMP_NCCL_LL, true) / (2 * s->inside.count);
    const double between_gb =
        n->nodes > 1 ? bus_gb(s, &s->across, a, CLUMP_NCCL_LL, false) / (2 * s->across.count)
                     : inside_gb;
    const double least_gb = fmin(inside_gb, between_gb);
    const double inside = inside_hop_us(s, a, CLUMP_NCCL_LL);
    const double between = hop_us[BETWEEN][a][CLUMP_NCCL_LL];
    double part = bytes / channels, hops = s->steps - s->between_steps, across = s->between_steps;
    if (a == TREE) {
        hops = 2 * (n->gpus - 1);
        across = 2 * depth(n->nodes);
    } else if (s->kind != CLUMP_COLLECTIVE_BROADCAST) {
        part /= s->ranks;
    } else if (in_a_row && n->nodes > 1) {
        return ll_in_a_row_us(s, bytes, channels);
    } else if (in_a_row) { /* the next one begins when a rank has passed it on */
        return base_us[a][CLUMP_NCCL_LL] + inside + part / (1000 * least_gb);
    } else {
        return s->of[a][CLUMP_NCCL_LL].us + part / (1000 * least_gb);
    }
    const double piece = a == TREE ? fmin(part, LL_PIECE) : part;
    return base_us[a][CLUMP_NCCL_LL] + hops * (inside + piece / (1000 * inside_gb)) +
           across * (between + piece / (1000 * between_gb)) + (part - piece) / (1000 * least_gb);
}

/* What leaves a node in a ring of allreduce keeps its NICs busy for so long, whoever waits for whom. */
static double busy_us(const nccl_system *s, double bytes, int a, int p)
{
    const clump_nccl_node *n = s->node;
    if (n->nodes < 1.5 || a == TREE || s->kind != CLUMP_COLLECTIVE_ALLREDUCE)
        return 0;
    const double gb = fmin(n->nics * n->nic_gb, s->most_gb) * data_share[p];
    return bytes * s->steps / s->ranks / (1000 * gb);
}

static clump_status check(const clump_nccl_node *n, const clump_nccl_call *c, clump_error *error)
{
    const char *name = clump_collective_kind_name(c->kind);
    if (c->kind != CLUMP_COLLECTIVE_ALLREDUCE && !copies(c->kind))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "%s: NCCL's time is known of allreduce, allgather, reduce-scatter and "
                          "broadcast",
                          name != NULL ? name : "?");
    if (!(n->nodes >= 1) || !(n->gpus >= 1) || !(n->nodes * n->gpus <= 0x1p30) ||
        fabs(n->nodes - rint(n->nodes)) > 1e-9 || fabs(n->gpus - rint(n->gpus)) > 1e-9)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "NCCL: found %g nodes of %g GPUs, expected whole numbers, 1 to 2^30 "
                          "GPUs in all",
                          n->nodes, n->gpus);
    if ((n->gpus > 1 && !(n->inside_gb >= 0.12 && n->inside_gb <= 1e6)) ||
        (n->nodes > 1 && !(n->nics >= 1 && n->nic_gb >= 0.12 && n->nic_gb <= 1e6)))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "NCCL: found %g GB/s inside a node, %g NICs of %g GB/s, expected 0.12 to "
                          "1e6 GB/s",
                          n->inside_gb, n->nics, n->nic_gb);
    if (!(c->bytes >= 0 && c->bytes <= 1e18))
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "NCCL: found %g bytes, expected 0 to 1e18",
                          c->bytes);
    return CLUMP_OK;
}

static nccl_system system_of(const clump_nccl_node *n, clump_collective_kind kind)
{
    const double ranks = n->nodes * n->gpus;
    const bool twice = kind == CLUMP_COLLECTIVE_ALLREDUCE;
    const bool all = kind == CLUMP_COLLECTIVE_BROADCAST;
    nccl_system s = {.node = n,
                     .kind = kind,
                     .ranks = ranks,
                     .most_gb = INFINITY,
                     .steps = twice ? 2 * (ranks - 1)
                              : all ? ranks
                                    : ranks - 1,
                     .between_steps = twice ? 2 * (n->nodes - 1)
                                      : all ? n->nodes
                                            : n->nodes - 1,
                     .nodes_index = n->nodes < 1.5   ? 0
                                    : n->nodes < 2.5 ? 1
                                                     : 2};
    if (n->gpus > 1)
        s.inside = inside_channels(n);
    if (n->nodes > 1) {
        clump_nccl_node alone = *n;
        if (n->gpus < 2)
            alone.inside_gb = n->nics * n->nic_gb;
        s.across = between_channels(&alone);
    } else
        s.across = s.inside;
    if (n->gpus < 2)
        s.inside = s.across;
    estimate_all(&s);
    return s;
}

static void choose(const nccl_system *s, double bytes, clump_nccl_time *t)
{
    t->estimate_us = INFINITY;
    for (int a = 0; a < ALGORITHMS; a++)
        for (int p = 0; p < PROTOCOLS; p++) {
            const double us = s->of[a][p].gb > 0 ? estimate_us(s, bytes, a, p) : INFINITY;
            if (us < t->estimate_us) {
                t->tree = a == TREE;
                t->protocol = (clump_nccl_protocol)p;
                t->estimate_us = us;
            }
        }
}

clump_status clump_nccl_time_of(const clump_nccl_node *node, const clump_nccl_call *call,
                                clump_nccl_time *time, clump_error *error)
{
    const clump_status status = check(node, call, error);
    if (status != CLUMP_OK)
        return status;
    *time = (clump_nccl_time){.channels = 1};
    const double ranks = node->nodes * node->gpus;
    if (ranks < 1.5)
        return CLUMP_OK;
    /* NCCL counts what all ranks have in the end */
    const double bytes =
        call->kind == CLUMP_COLLECTIVE_ALLGATHER ? ranks * call->bytes : call->bytes;
    nccl_system s = system_of(node, call->kind);
    choose(&s, bytes, time);
    const int a = time->tree ? TREE : RING, p = (int)time->protocol;
    time->channels = channels_of(&s, bytes, a, p);
    if (node->nodes > 1 && node->measured_gb > 0) {
        s.most_gb = node->measured_gb;
        estimate_all(&s);
    }
    time->us = time->protocol == CLUMP_NCCL_LL ? ll_us(&s, bytes, a, time->channels, call->in_a_row)
                                               : estimate_us(&s, bytes, a, p);
    time->us = fmax(time->us, busy_us(&s, bytes, a, p));
    return CLUMP_OK;
}
