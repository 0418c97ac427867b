/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * NCCL: against a program in another language that was written from NCCL's source before this one, and against what can
 * be worked out by hand from the latencies there.
 */
#include "topology/nccl_node.h"
#include "topology/read_topology.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/unit.h"

/* Four V100, each joined to the others by two NVLinks, and two NICs of 100 Gb/s that are not behind their switches. */
static const clump_nccl_node four_voltas = {
    CLUMP_NCCL_VOLTA, 1, 4, 126, true, false, 2, 12.5, false, false, 0};

static clump_nccl_time time_of(const clump_nccl_node *node, clump_collective_kind kind,
                               double bytes, bool in_a_row)
{
    const clump_nccl_call call = {kind, bytes, in_a_row};
    clump_nccl_time time;
    clump_error error;
    assert_int_equal(clump_nccl_time_of(node, &call, &time, &error), CLUMP_OK);
    return time;
}

TEST(test_other_program)
{
    static const struct {
        bool broadcast;
        double nodes, bytes, us;
        bool tree;
        int protocol, channels;
    } rows[] = {
        {false, 1, 8192, 11.1011, false, 0, 1},
        {false, 1, 4194304, 78.7322, false, 2, 12},
        {false, 1, 1048576, 36.9115, false, 1, 12},
        {false, 2, 4, 19.1550, false, 0, 1},
        {false, 2, 262144, 67.5238, false, 0, 4},
        {false, 2, 16777216, 1353.2987, false, 2, 4},
        {false, 4, 1024, 35.5459, true, 0, 1},
        {false, 4, 65536, 93.9371, false, 0, 1},
        {false, 8, 32768, 96.7067, true, 0, 4},
        {false, 8, 1048576, 308.2632, false, 0, 4},
        {false, 8, 2097152, 685.5253, true, 2, 4},
        {false, 16, 131072, 326.5861, true, 0, 4},
        {false, 32, 4, 60.0558, true, 0, 1},
        {false, 32, 8388608, 1496.5760, true, 2, 4},
        {false, 32, 33554432, 5161.5173, false, 2, 4},
        {true, 1, 8192, 6.5906, false, 0, 1},
        {true, 1, 4194304, 54.7835, false, 1, 12},
        {true, 1, 1048576, 26.8959, false, 1, 12},
        {true, 2, 4, 4.6007, false, 0, 1},
        {true, 2, 262144, 54.4600, false, 0, 4},
        {true, 2, 16777216, 931.4507, false, 2, 4},
        {true, 4, 1024, 5.7707, false, 0, 1},
        {true, 4, 65536, 30.5227, false, 0, 1},
        {true, 8, 32768, 41.0613, false, 0, 1},
        {true, 8, 1048576, 247.4240, false, 0, 4},
        {true, 8, 2097152, 355.1147, false, 0, 4},
        {true, 16, 131072, 89.4453, false, 0, 1},
        {true, 32, 4, 4.6007, false, 0, 1},
        {true, 32, 8388608, 1450.0427, false, 0, 4},
        {true, 32, 33554432, 4990.5013, false, 2, 4},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        clump_nccl_node node = four_voltas;
        node.nodes = rows[i].nodes;
        const clump_nccl_time t = time_of(
            &node, rows[i].broadcast ? CLUMP_COLLECTIVE_BROADCAST : CLUMP_COLLECTIVE_ALLREDUCE,
            rows[i].bytes, true);
        assert_true(fabs(t.us / rows[i].us - 1) < 1e-5); /* printed with four digits */
        assert_int_equal(t.tree, rows[i].tree);
        assert_int_equal(t.protocol, rows[i].protocol);
        assert_int_equal((int)t.channels, rows[i].channels);
    }
}

/* Latencies of the source, added by hand for calls of no bytes. */
TEST(test_by_hand)
{
    clump_nccl_node node = four_voltas;
    node.nodes = 16;
    /* a tree: 4.4, and up and down 3 GPUs and 4 doublings of nodes */
    assert_true(fabs(time_of(&node, CLUMP_COLLECTIVE_ALLREDUCE, 0, false).us -
                     (4.4 + 2 * (3 * 0.52 * 1.8 + 4 * 5.0))) < 1e-9);
    /* a ring around 64 GPUs: 63 hops, 15 of them between nodes */
    assert_true(fabs(time_of(&node, CLUMP_COLLECTIVE_ALLGATHER, 0, false).us -
                     (3.6 + 48 * 0.47 * 1.8 + 15 * 2.7)) < 1e-9);
    /* a broadcast goes around once; of many in a row each rank gives way when its threads have waited for lines once */
    assert_true(fabs(time_of(&node, CLUMP_COLLECTIVE_BROADCAST, 0, false).us - (3.6 + 64 * 2.7)) <
                1e-9);
    assert_true(fabs(time_of(&node, CLUMP_COLLECTIVE_BROADCAST, 0, true).us - (3.6 + 1)) < 1e-9);
    /* 2,048 bytes: 64 threads of 8 bytes wait four times; and its lines go over a NIC with as many bytes of flags */
    assert_true(fabs(time_of(&node, CLUMP_COLLECTIVE_BROADCAST, 2048, true).us -
                     (3.6 + 4 + 2 * 2048 / 12000.0)) < 1e-9);
    /* behind the GPUs' switches lines come to the GPU's own memory */
    node.near = true;
    assert_true(fabs(time_of(&node, CLUMP_COLLECTIVE_BROADCAST, 0, true).us - (3.6 + 0.47)) < 1e-9);
    node.nodes = node.gpus = 1;
    node.near = false;
    assert_true(time_of(&node, CLUMP_COLLECTIVE_ALLREDUCE, 1e9, false).us < 1e-9);
    /* eight A100 behind NVSwitch: 12 links of 21 GB/s, but no more than 235 together; 14/8 of the bytes */
    node = (clump_nccl_node){CLUMP_NCCL_AMPERE, 1, 8, 252, true, true, 8, 25, true, false, 0};
    const clump_nccl_time t = time_of(&node, CLUMP_COLLECTIVE_ALLREDUCE, 1e9, false);
    assert_true(fabs(t.us - (8.4 + 14 * 3.4 + 1e6 / 235 * 14 / 8)) < 1e-6);
    assert_int_equal(t.protocol, CLUMP_NCCL_SIMPLE);
    /* nine channels of 42 GB/s: there is room for 16, each of which has half */
    node = (clump_nccl_node){CLUMP_NCCL_VOLTA, 1, 8, 9 * 42, true, true, 0, 0, true, false, 0};
    assert_true(fabs(time_of(&node, CLUMP_COLLECTIVE_ALLREDUCE, 1e9, false).us -
                     (8.4 + 14 * 3.4 + 1e6 / (16 * 21) * 14 / 8)) < 1e-6);
}

/* One GPU a node: whether NVLink would join it to others does not matter (typeIntra in search.cc). */
TEST(test_alone_in_its_node)
{
    clump_nccl_node node = {CLUMP_NCCL_VOLTA, 16, 1, 12, false, false, 2, 12.5, true, false, 0};
    const clump_nccl_time t = time_of(&node, CLUMP_COLLECTIVE_ALLGATHER, 65536, false);
    assert_int_equal(t.protocol, CLUMP_NCCL_LL128);
    /* two NICs of 12 GB/s, 0.7 of it */
    assert_true(fabs(t.us - (10 + 15 * 4.0 + 15 * 65536 / (1000 * 2 * 12 * 0.7))) < 1e-9);
    node.near = false;
    assert_int_not_equal(time_of(&node, CLUMP_COLLECTIVE_ALLGATHER, 65536, false).protocol,
                         CLUMP_NCCL_LL128);
}

/* Never above what links carry; more bytes and more nodes take longer, but where another algorithm is taken. */
TEST(test_bounds)
{
    static const clump_collective_kind kinds[] = {
        CLUMP_COLLECTIVE_ALLREDUCE, CLUMP_COLLECTIVE_ALLGATHER, CLUMP_COLLECTIVE_REDUCE_SCATTER,
        CLUMP_COLLECTIVE_BROADCAST};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (double nodes = 2; nodes <= 64; nodes *= 2)
            for (int near = 0; near < 2; near++) {
                clump_nccl_node node = four_voltas;
                node.nodes = nodes;
                node.near = near;
                clump_nccl_time before = {.us = 0};
                for (double bytes = 1; bytes <= 1e10; bytes *= 2) {
                    const clump_nccl_time t = time_of(&node, kinds[k], bytes, false);
                    const double ranks = 4 * nodes;
                    const double all =
                        kinds[k] == CLUMP_COLLECTIVE_ALLGATHER ? ranks * bytes : bytes;
                    const double laps = kinds[k] == CLUMP_COLLECTIVE_ALLREDUCE ? 2 : 1;
                    /* what each node sends at least, over two NICs */
                    assert_true(t.us * 25e3 >= laps * all * (nodes - 1) / nodes * (1 - 1e-9));
                    assert_true(near || t.protocol != CLUMP_NCCL_LL128);
                    if (t.tree == before.tree && t.protocol == before.protocol &&
                        t.channels <= before.channels)
                        assert_true(t.us >= before.us);
                    before = t;
                }
            }
}

/* What pairs reached together is the limit, whatever the links say; NCCL still chooses by the links. */
TEST(test_measured)
{
    static const clump_collective_kind kinds[] = {CLUMP_COLLECTIVE_ALLREDUCE,
                                                  CLUMP_COLLECTIVE_BROADCAST};
    for (size_t k = 0; k < 2; k++)
        for (double nodes = 2; nodes <= 32; nodes *= 2)
            for (double bytes = 4; bytes < 1e9; bytes *= 2) {
                clump_nccl_node node = four_voltas;
                node.nodes = nodes;
                const clump_nccl_time links = time_of(&node, kinds[k], bytes, false);
                node.measured_gb = 1e3;
                assert_true(fabs(time_of(&node, kinds[k], bytes, false).us / links.us - 1) < 1e-14);
                double before = links.us;
                for (node.measured_gb = 32; node.measured_gb > 1; node.measured_gb /= 2) {
                    const clump_nccl_time t = time_of(&node, kinds[k], bytes, false);
                    assert_true(t.us >= before * (1 - 1e-12));
                    assert_int_equal(t.protocol, links.protocol);
                    assert_int_equal(t.tree, links.tree);
                    before = t.us;
                }
                /* A ring of allreduce sends 2 (P-1)/P of the bytes through each node's NICs. */
                const double ring = kinds[k] == CLUMP_COLLECTIVE_ALLREDUCE && !links.tree
                                        ? 2 * (4 * nodes - 1) / (4 * nodes)
                                        : 0;
                assert_true(before >= ring * bytes / (1e3 * 2 * node.measured_gb));
            }
}

TEST(test_refused)
{
    const clump_nccl_call good = {CLUMP_COLLECTIVE_ALLREDUCE, 8, false};
    clump_nccl_time time;
    clump_error error;
    for (int i = 0; i < 8; i++) {
        clump_nccl_node n = four_voltas;
        clump_nccl_call c = good;
        n.nodes = 2;
        const double bad[] = {NAN, -1, 0.5, 1e300};
        *(i < 4 ? &n.inside_gb : &n.nodes) = bad[i % 4];
        const bool fine = i == 2; /* half a GB/s is a bandwidth */
        assert_int_equal(clump_nccl_time_of(&n, &c, &time, &error),
                         fine ? CLUMP_OK : CLUMP_BAD_ARGUMENT);
        n = four_voltas;
        c.bytes = i % 4 < 2 ? bad[i % 4] : INFINITY;
        assert_int_equal(clump_nccl_time_of(&n, &c, &time, &error), CLUMP_BAD_ARGUMENT);
    }
    const clump_nccl_call other = {CLUMP_COLLECTIVE_ALLTOALL, 8, false};
    assert_int_equal(clump_nccl_time_of(&four_voltas, &other, &time, &error), CLUMP_BAD_ARGUMENT);
}

/* ---- from files */

static clump_status read_node(const char *text, const char *gpu, clump_nccl_node *node,
                              clump_error *error)
{
    const clump_topology_rules rules = CLUMP_TOPOLOGY_RULES;
    const clump_topology_choice choice = {false, NULL, 0};
    clump_topology t;
    clump_status status = clump_topology_read(text, strlen(text), &rules, &choice, &t, error);
    if (status == CLUMP_OK) {
        status = clump_topology_nccl(&t, 2, gpu, node, error);
        clump_topology_free(&t);
    }
    return status;
}

/* Two GPUs; the NIC is behind the switch of the first one, or beside it. */
static const char *make_file(const char *sm, bool behind, const char *vendor)
{
    static const char nic[] =
        "<pci busid='0000:09:00.0' class='0x020700' link_speed='16 GT/s' "
        "link_width='16'><nic><net name='mlx5_0' speed='200000'/></nic></pci>";
    static char text[2000];
    snprintf(text, sizeof text,
             "<system version='1'><cpu numaid='0' arch='x86_64' vendor='%s'>"
             "<pci busid='0000:01:00.0' class='0x060400' link_speed='16 GT/s' link_width='16'>"
             "<pci busid='0000:02:00.0' class='0x030200' link_speed='16 GT/s' link_width='16'>"
             "<gpu dev='0' sm='%s'><nvlink target='0000:03:00.0' count='4'/></gpu></pci>"
             "<pci busid='0000:03:00.0' class='0x030200' link_speed='16 GT/s' link_width='16'>"
             "<gpu dev='1' sm='%s'><nvlink target='0000:02:00.0' count='4'/></gpu></pci>"
             "%s</pci>%s</cpu></system>",
             vendor, sm, sm, behind ? nic : "", behind ? "" : nic);
    return text;
}

TEST(test_file)
{
    clump_nccl_node n;
    clump_error error;
    assert_int_equal(read_node(make_file("80", true, "AuthenticAMD"), NULL, &n, &error), CLUMP_OK);
    assert_int_equal(n.gpu, CLUMP_NCCL_AMPERE);
    assert_true(n.near && n.amd && n.nvlink && !n.nvswitch);
    assert_true(fabs(n.inside_gb - 84) < 1e-9 && fabs(n.nic_gb - 24) < 1e-9); /* its slot */
    assert_int_equal(read_node(make_file("70", false, "GenuineIntel"), NULL, &n, &error), CLUMP_OK);
    assert_int_equal(n.gpu, CLUMP_NCCL_VOLTA);
    assert_true(!n.near && !n.amd);
    assert_int_equal(read_node(make_file("90", true, ""), NULL, &n, &error), CLUMP_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "90"));
    assert_int_equal(read_node(make_file("90", true, ""), "ampere", &n, &error), CLUMP_OK);
    assert_int_equal(read_node(make_file("90", true, ""), "hopper", &n, &error),
                     CLUMP_BAD_ARGUMENT);
    assert_int_equal(read_node(make_file("", true, ""), NULL, &n, &error), CLUMP_BAD_ARGUMENT);
}

UNIT_MAIN(NULL, NULL)
