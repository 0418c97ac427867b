/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Descriptions of nodes: real ones against numbers typed from them, and files that are meant to do harm. */
#include "topology/assignment.h"
#include "topology/read_topology.h"

#include "data/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"

static const clump_topology_rules usual = {.max_payload = 256, .packet = 4096};
static const clump_topology_choice any = {false, NULL, 0};

static void near(double found, double expected)
{
    if (!(fabs(found - expected) <= 1e-6 * fabs(expected)))
        print_error("found %.17g, expected %.17g\n", found, expected);
    assert_true(fabs(found - expected) <= 1e-6 * fabs(expected));
}

static clump_status read_text(const char *text, const clump_topology_rules *rules,
                              clump_topology *t, clump_error *error)
{
    char *copy = malloc(strlen(text) + 1); /* without a NUL that one could rely on */
    memcpy(copy, text, strlen(text));
    const clump_status status = clump_topology_read(copy, strlen(text), rules, &any, t, error);
    free(copy);
    return status;
}

static clump_status read_file(const char *name, const clump_topology_choice *choice,
                              clump_topology *t, clump_error *error)
{
    char path[512], *bytes;
    size_t size;
    const char *folder = getenv("CLUMP_TEST_DIR");
    snprintf(path, sizeof path, "%s/topologies/%s", folder != NULL ? folder : "tests", name);
    assert_int_equal(clump_file_read(path, 1 << 24, &bytes, &size), CLUMP_FILE_OK);
    const clump_status status = clump_topology_read(bytes, size, &usual, choice, t, error);
    free(bytes);
    return status;
}

static const clump_part *find(const clump_topology *t, const char *name)
{
    for (size_t i = 0; i < t->part_count; i++)
        if (strcmp(t->parts[i].name, name) == 0)
            return &t->parts[i];
    fail_msg("no %s", name);
    return NULL;
}

static void check_tree(const clump_topology *t)
{
    assert_true(t->part_count > 0 && t->parts[0].parent == CLUMP_NO_PART);
    for (size_t i = 1; i < t->part_count; i++)
        assert_true(t->parts[i].parent < i && t->parts[i].link > 0);
}

/* What PCIe carries: 57.88/62.96 of it, and 256 of 280 bytes. */
static double slot(double transfers)
{
    return transfers * 16 * 128 / 130 / 8 * (57.88 / 62.96) * 256 / 280;
}

TEST(test_nccl)
{
    clump_topology t;
    clump_assignment a;
    assert_int_equal(read_file("aws-p4d-24xl.xml", &any, &t, NULL), CLUMP_OK);
    check_tree(&t);
    assert_string_equal(t.format, "NCCL");
    assert_true(t.gpus && t.processor_count == 8 && t.nic_count == 4);
    near(find(&t, "GPU5")->link, slot(8e9));
    assert_string_equal(find(&t, "GPU5")->address, "0000:90:1d.0");
    assert_string_equal(t.parts[clump_topology_socket(&t, t.processors[5])].name, "NUMA 1");
    /* two GPUs share the slot of a NIC */
    assert_int_equal(clump_assign(&t, &usual, CLUMP_ASSIGN_BEST, &a, NULL), CLUMP_OK);
    near(a.least, slot(8e9) / 2);
    near(a.total, slot(8e9) * 4);
    for (size_t p = 0; p < 8; p++)
        assert_int_equal(a.nics[p], p / 2);
    clump_assignment_free(&a);
    clump_topology_free(&t);
    assert_int_equal(read_file("azure-ndv4.xml", &any, &t, NULL), CLUMP_OK);
    assert_true(t.processor_count == 8 && t.nic_count == 8);
    assert_int_equal(clump_assign(&t, &usual, CLUMP_ASSIGN_NEAREST, &a, NULL), CLUMP_OK);
    near(a.least, slot(16e9) / 2); /* both GPUs of a switch take its first NIC */
    clump_assignment_free(&a);
    assert_int_equal(clump_assign(&t, &usual, CLUMP_ASSIGN_BEST, &a, NULL), CLUMP_OK);
    near(a.least, slot(16e9));
    clump_assignment_free(&a);
    clump_topology_free(&t);
}

TEST(test_rccl)
{
    static const char *const one[] = {"mlx5_0"}, *const wrong[] = {"mlx5_7"};
    const clump_topology_choice first = {false, one, 1}, none = {false, wrong, 1};
    clump_topology t;
    clump_error error;
    assert_int_equal(read_file("rccl-topo_8p_rome_n2_2.xml", &any, &t, NULL), CLUMP_OK);
    check_tree(&t);
    assert_string_equal(t.format, "RCCL");
    assert_true(t.processor_count == 8 && t.nic_count == 2);
    /* two ports of one card in one slot: 100 and 200 Gb/s InfiniBand, 30 bytes around 4096 */
    assert_int_equal(find(&t, "mlx5_0")->parent, find(&t, "mlx5_1")->parent);
    near(find(&t, "mlx5_0")->port, 12.5e9 * 4096 / 4126);
    near(find(&t, "mlx5_1")->port, 25e9 * 4096 / 4126);
    assert_int_equal(t.parts[find(&t, "mlx5_0")->parent].kind, CLUMP_PART_CARD);
    near(t.parts[find(&t, "mlx5_0")->parent].link, slot(16e9));
    /* 8 GPUs, each with two links of xGMI to others, which both ends have in the file */
    assert_int_equal(t.inside_count, 16);
    near(t.inside[0].rate, 46e9);
    clump_topology_free(&t);
    assert_int_equal(read_file("rccl-topo_8p_rome_n2_2.xml", &first, &t, NULL), CLUMP_OK);
    assert_int_equal(t.nic_count, 1);
    clump_topology_free(&t);
    assert_int_equal(read_file("rccl-topo_8p_rome_n2_2.xml", &none, &t, &error),
                     CLUMP_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "mlx5_0, mlx5_1"));
    assert_int_equal(read_file("rccl-topo_3p_pcie_1.xml", &any, &t, NULL), CLUMP_OK);
    near(find(&t, "GPU2")->link, slot(32e9)); /* "32.0 GT/s PCIe" */
    clump_topology_free(&t);
}

TEST(test_hwloc)
{
    const clump_topology_choice cores = {true, NULL, 0};
    clump_topology t;
    clump_error error;
    assert_int_equal(read_file("24em64t-2n6c2t-pci.xml", &any, &t, NULL), CLUMP_OK);
    check_tree(&t);
    assert_true(t.gpus && t.processor_count == 3 && t.nic_count == 1);
    near(find(&t, "mlx4_0")->link, 2e9 * (57.88 / 62.96) * 256 / 280); /* pci_link_speed="2.0" */
    assert_true(find(&t, "eth0")->unused && find(&t, "eth1")->unused);
    assert_non_null(strstr(t.notes, "eth0, eth1"));
    clump_topology_free(&t);
    assert_int_equal(read_file("24em64t-2n6c2t-pci.xml", &cores, &t, NULL), CLUMP_OK);
    assert_true(!t.gpus && t.processor_count == 12);
    clump_topology_free(&t);
    assert_int_equal(read_file("nvidiaDGX2.xml", &any, &t, &error), CLUMP_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "no NIC"));
    assert_int_equal(read_text("<topology version=\"2.0\"><object type=\"Machine\">"
                               "<object type=\"Core\"/></object></topology>",
                               &usual, &t, &error),
                     CLUMP_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "no I/O devices"));
}

/* Kinds of devices in version 2 are numbers, functions of a device share its slot. */
TEST(test_hwloc_card)
{
    static const char text[] =
        "<topology version=\"2.0\"><object type=\"Machine\"><object type=\"Package\">"
        "<object type=\"Core\"/><object type=\"Core\"/>"
        "<object type=\"Bridge\" bridge_type=\"0-1\">"
        "<object type=\"PCIDev\" pci_busid=\"0000:3b:00.0\" pci_type=\"0200 [15b3:1017]\" "
        "pci_link_speed=\"15.753846\"><info name=\"PCIDevice\" value=\"ConnectX-5 100GbE\"/>"
        "<object type=\"OSDev\" name=\"mlx5_0\" osdev_type=\"3\"/></object>"
        "<object type=\"PCIDev\" pci_busid=\"0000:3b:00.1\" pci_type=\"0200 [15b3:1017]\" "
        "pci_link_speed=\"15.753846\"><info name=\"PCIDevice\" value=\"ConnectX-5 100GbE\"/>"
        "<object type=\"OSDev\" name=\"mlx5_1\" osdev_type=\"3\"/></object>"
        "</object></object></object></topology>";
    const size_t both[] = {0, 1};
    clump_topology t;
    clump_assignment a;
    assert_int_equal(read_text(text, &usual, &t, NULL), CLUMP_OK);
    assert_true(t.processor_count == 2 && t.nic_count == 2);
    assert_int_equal(clump_assign_given(&t, &usual, both, &a, NULL), CLUMP_OK);
    near(a.alone[0], 12.5e9 * 4096 / 4178);
    near(a.total, 15.753846e9 * (57.88 / 62.96) * 256 / 280); /* the slot's */
    clump_assignment_free(&a);
    clump_topology_free(&t);
}

/* NVLink of a node of two GPUs, to each other and to the socket, in parts and by numbers of objects. */
TEST(test_hwloc_nvlink)
{
    static const char form[] =
        "<topology version=\"2.0\"><object type=\"Machine\"><object type=\"Package\" "
        "gp_index=\"3\">"
        "<object type=\"PCIDev\" gp_index=\"7\" pci_busid=\"0000:01:00.0\" pci_type=\"0302\">"
        "<object type=\"OSDev\" gp_index=\"17\" name=\"nvml0\" osdev_type=\"1\"/></object>"
        "<object type=\"PCIDev\" gp_index=\"8\" pci_busid=\"0000:02:00.0\" pci_type=\"0302\">"
        "<object type=\"OSDev\" gp_index=\"18\" name=\"nvml1\" osdev_type=\"1\"/></object>"
        "<object type=\"PCIDev\" gp_index=\"9\" pci_busid=\"0000:03:00.0\" pci_type=\"0207\"/>"
        "</object></object><distances2hetero nbobjs=\"%s\" name=\"NVLinkBandwidth\">"
        "<indexes>OSDev:17 OSDev:18 </indexes><indexes>Package:3 </indexes>"
        "<u64values>1000000 40000 20000 40000 1000000 20000 </u64values>"
        "<u64values>20000 20000 1000000</u64values></distances2hetero></topology>";
    char text[2048];
    clump_topology t;
    snprintf(text, sizeof text, form, "3");
    assert_int_equal(read_text(text, &usual, &t, NULL), CLUMP_OK);
    assert_int_equal(t.inside_count, 4);
    near(t.inside[0].rate, 40e9);
    assert_string_equal(t.parts[t.inside[0].to].name, "nvml1");
    near(t.inside[1].rate, 20e9);
    assert_true(t.inside[1].to == CLUMP_NO_PART);
    clump_topology_free(&t);
    static const char *const wrong[] = {"2", "4", "1e9", "-1", "x"};
    for (size_t i = 0; i < 5; i++) {
        snprintf(text, sizeof text, form, wrong[i]);
        assert_int_equal(read_text(text, &usual, &t, NULL), CLUMP_OK);
        assert_int_equal(t.inside_count, 0);
        clump_topology_free(&t);
    }
}

TEST(test_nvidia_smi)
{
    static const char text[] =
        "\t\x1b[4mGPU0\tGPU1\tGPU2\tGPU3\tNIC0\tNIC1\tCPU Affinity\tNUMA\x1b[0m\r\n"
        "GPU0\t X \tNV4\tSYS\tSYS\tPIX\tSYS\t0-31\t0\r\n"
        "GPU1\tNV4\t X \tSYS\tSYS\tPXB\tSYS\t0-31\t0\r\n"
        "GPU2\tSYS\tSYS\t X \tNODE\tSYS\tPHB\t32-63\t1\r\n"
        "GPU3\tSYS\tSYS\tNODE\t X \tSYS\tNODE\t32-63\t1\r\n"
        "NIC0\tPIX\tPXB\tSYS\tSYS\t X \tSYS\r\n"
        "NIC1\tSYS\tSYS\tPHB\tNODE\tSYS\t X \r\n"
        "\r\nLegend:\r\n  X = Self\r\n\r\nNIC Legend:\r\n  NIC0: mlx5_0\r\n  NIC1: mlx5_1";
    const clump_topology_rules rules = {
        .max_payload = 256, .packet = 4096, .nic_speed = 200e9, .slot = 31.5e9};
    clump_topology t;
    clump_error error;
    assert_int_equal(read_text(text, &rules, &t, NULL), CLUMP_OK);
    check_tree(&t);
    assert_true(t.gpus && t.processor_count == 4 && t.nic_count == 2);
    assert_int_equal(t.inside_count, 2);
    assert_int_equal(t.inside[0].count, 4);
    const size_t g0 = t.processors[0], g1 = t.processors[1], g2 = t.processors[2];
    const size_t g3 = t.processors[3], n0 = t.nics[0], n1 = t.nics[1];
    assert_string_equal(t.parts[n1].name, "mlx5_1");
    assert_int_equal(t.parts[clump_topology_meet(&t, g0, n0)].kind, CLUMP_PART_SWITCH);
    assert_int_equal(t.parts[clump_topology_meet(&t, g1, n0)].kind, CLUMP_PART_SWITCH);
    assert_true(clump_topology_hops(&t, g1, n0) > clump_topology_hops(&t, g0, n0));
    assert_int_equal(t.parts[clump_topology_meet(&t, g2, n1)].kind, CLUMP_PART_BRIDGE);
    assert_int_equal(t.parts[clump_topology_meet(&t, g3, n1)].kind, CLUMP_PART_SOCKET);
    assert_int_equal(clump_topology_meet(&t, g0, g2), 0);
    clump_topology_free(&t);
    assert_int_equal(
        read_text("\tGPU0\tNIC0\tCPU Affinity\nGPU0\tX\tFAR\nNIC0\tPIX\tX\n", &rules, &t, &error),
        CLUMP_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "row GPU0, column NIC0: found 'FAR'"));
    assert_int_equal(read_text("\tGPU0\tNIC0\tCPU Affinity\nGPU0\tX\tPIX\n", &rules, &t, &error),
                     CLUMP_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "no row of NIC0"));
}

/* Forms that other versions have, and other ways to copy what is printed. */
TEST(test_nvidia_smi_forms)
{
    clump_topology t;
    clump_error error;
    /* a byte order mark, one GPU and a NIC of another maker, what tput writes, a line of the shell, a fence */
    assert_int_equal(
        read_text("\xef\xbb\xbf```\n$ nvidia-smi topo -m\n\t\x1b[4mGPU0\tbnxt_re0\tCPU "
                  "Affinity\x1b(B\x1b[m\nGPU0\t X \tPHB\t0-15\nbnxt_re0\tPHB\t X \n```\n",
                  &usual, &t, NULL),
        CLUMP_OK);
    assert_true(t.processor_count == 1 && t.nic_count == 1);
    assert_string_equal(t.parts[t.nics[0]].name, "bnxt_re0");
    clump_topology_free(&t);
    /* Two GPUs and a NIC by one switch: one part, although they are nearer than every other class. */
    assert_int_equal(read_text("GPU0 GPU1 NIC0 CPU Affinity NUMA Affinity GPU NUMA ID\n"
                               "GPU0 X PIX PIX 0-15 0 N/A\nGPU1 PIX X PIX 0-15 0 N/A\n"
                               "NIC0 PIX PIX X\nNIC Legend:\n  NIC0: mlx5_bond_0\n",
                               &usual, &t, NULL),
                     CLUMP_OK);
    assert_int_equal(t.part_count, 6); /* machine, socket, switch */
    assert_string_equal(t.parts[t.nics[0]].name, "mlx5_bond_0");
    clump_topology_free(&t);
    /* Processors that differ late in a long list, and none at all: not one socket. */
    static const char *const affinities[][2] = {
        {"0-3,8-11,16-19,24-27,32-35,40-43,48-51", "0-3,8-11,16-19,24-27,32-35,44-47,52-55"},
        {"N/A", "N/A"}};
    for (size_t i = 0; i < 2; i++) {
        char text[500];
        snprintf(text, sizeof text,
                 "GPU0 GPU1 NIC0 NIC1 CPU Affinity NUMA Affinity\nGPU0 X NV4 NODE SYS %s 0\n"
                 "GPU1 NV4 X SYS NODE %s 1\nNIC0 NODE SYS X SYS\nNIC1 SYS NODE SYS X\n",
                 affinities[i][0], affinities[i][1]);
        assert_int_equal(read_text(text, &usual, &t, NULL), CLUMP_OK);
        assert_int_equal(clump_topology_meet(&t, t.processors[0], t.processors[1]), 0);
        clump_topology_free(&t);
    }
    assert_int_equal(read_text("GPU0 GPU1 CPU Affinity\nGPU0 X SYS 0-15\nGPU1 SYS X 16-31\n",
                               &usual, &t, &error),
                     CLUMP_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "line 1: there is no NIC among the columns"));
    assert_int_equal(read_text("GPU0 NIC0 CPU Affinity\nGPU0 X PIX\nNIC0 PI", &usual, &t, &error),
                     CLUMP_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "line 3: row NIC0, column GPU0: found 'PI'"));
    assert_int_equal(read_text("GPU0 NIC0 CPU Affinity\nGPU0 X PIX\nNIC0 PIX", &usual, &t, &error),
                     CLUMP_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "line 3: found the end of row NIC0 before column NIC0"));
}

/* Version 1 has devices beside the socket, in their NUMA node. */
TEST(test_hwloc_numa_above)
{
    static const char node[] =
        "<object type=\"NUMANode\"><object type=\"Socket\"><object type=\"Core\"/></object>"
        "<object type=\"Bridge\" bridge_type=\"0-1\">"
        "<object type=\"PCIDev\" pci_busid=\"0000:%d1:00.0\" pci_type=\"0302 [10de:20b0]\" "
        "pci_link_speed=\"15.75\"/>"
        "<object type=\"PCIDev\" pci_busid=\"0000:%d2:00.0\" pci_type=\"0207 [15b3:1017]\" "
        "pci_link_speed=\"15.75\"><object type=\"OSDev\" name=\"mlx5_%d\" "
        "osdev_type=\"3\"/></object>"
        "</object></object>";
    char text[2000] = "<topology><object type=\"Machine\">";
    const clump_topology_rules rules = {.max_payload = 256, .packet = 4096, .between_sockets = 2e9};
    clump_topology t;
    clump_assignment a;
    for (int i = 0; i < 2; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), node, i, i, i);
    strcat(text, "</object></topology>");
    assert_int_equal(read_text(text, &rules, &t, NULL), CLUMP_OK);
    assert_true(t.processor_count == 2 && t.nic_count == 2);
    static const size_t across[] = {1, 0};
    assert_int_equal(clump_assign_given(&t, &rules, across, &a, NULL), CLUMP_OK);
    near(a.least, 2e9);
    clump_assignment_free(&a);
    assert_int_equal(clump_assign(&t, &rules, CLUMP_ASSIGN_NEAREST, &a, NULL), CLUMP_OK);
    near(a.least, 15.75e9 * (57.88 / 62.96) * 256 / 280);
    clump_assignment_free(&a);
    clump_topology_free(&t);
}

#define ONE_NIC(link, speed)                                                                       \
    "<system><cpu>\n<pci busid=\"a\" class=\"0x030200\"><gpu dev=\"0\"/></pci>\n"                  \
    "<pci busid=\"b\" class=\"0x020700\" " link "><nic><net name=\"n\" speed=\"" speed             \
    "\"/></nic></pci></cpu></system>"

/* Numbers in hexadecimal and in other units; what is no number is not taken for an unknown one. */
TEST(test_nccl_numbers)
{
    static const char *const texts[] = {
        ONE_NIC("link_speed=\"16 GT/s\" link_width=\"16\"", "100000"),
        ONE_NIC("link_speed=\"16.0 GT/s PCIe\" link_width=\"0x10\"", "0x186A0"),
        ONE_NIC("link_speed=\"16000 MT/s\" link_width=\"x16\"", "1e5"),
    };
    clump_topology t;
    clump_error error;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_int_equal(read_text(texts[i], &usual, &t, NULL), CLUMP_OK);
        near(find(&t, "n")->link, slot(16e9));
        near(find(&t, "n")->port, 12.5e9 * 4096 / 4126);
        clump_topology_free(&t);
    }
    assert_int_equal(read_text(ONE_NIC("", "200 Gb/s"), &usual, &t, &error), CLUMP_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "line 3: speed is '200 Gb/s', expected 1e6 bits"));
    assert_int_equal(read_text(ONE_NIC("", "1e300"), &usual, &t, &error), CLUMP_BAD_ARGUMENT);
    assert_int_equal(read_text(ONE_NIC("", "-1"), &usual, &t, &error), CLUMP_OK);
    assert_true(isinf(find(&t, "n")->port));
    clump_topology_free(&t);
    /* UTF-16 */
    const char *text = texts[0];
    const size_t size = 2 * strlen(text) + 2;
    char *wide = malloc(size);
    wide[0] = '\xff';
    wide[1] = '\xfe';
    for (size_t i = 0; text[i] != '\0'; i++) {
        wide[2 * i + 2] = text[i];
        wide[2 * i + 3] = '\0';
    }
    assert_int_equal(clump_topology_read(wide, size, &usual, &any, &t, &error), CLUMP_OK);
    near(find(&t, "n")->link, slot(16e9));
    clump_topology_free(&t);
    free(wide);
}

/* ---- files that are meant to do harm */

static void refused(const char *text, const char *reason)
{
    clump_topology t = {.format = "none"};
    clump_error error = {CLUMP_OK, ""};
    assert_int_equal(read_text(text, &usual, &t, &error), CLUMP_BAD_ARGUMENT);
    if (strstr(error.message, reason) == NULL)
        print_error("found '%s', expected '%s'\n", error.message, reason);
    assert_non_null(strstr(error.message, reason));
    assert_true(t.part_count == 0 && t.parts == NULL);
}

TEST(test_entities)
{
    refused("<?xml version=\"1.0\"?><!DOCTYPE system [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b "
            "\"&a;&a;&a;&a;&a;&a;&a;&a;\"><!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;\">]>"
            "<system version=\"1\"><cpu numaid=\"&c;\"/></system>",
            "entity");
    refused("<!DOCTYPE system [<!ENTITY f SYSTEM \"file:///etc/passwd\">]><system>&f;</system>",
            "entity");
    refused("<!DOCTYPE system [<!ENTITY % p SYSTEM \"http://127.0.0.1/x\"> %p;]><system/>",
            "entity");
    refused("<!DOCTYPE topology SYSTEM \"http://127.0.0.1/hwloc2.dtd\"><topology version=\"2.0\"/>",
            "no I/O devices");
}

static void repeat(char *text, size_t *used, const char *piece, size_t times)
{
    for (size_t i = 0; i < times; i++, *used += strlen(piece))
        memcpy(text + *used, piece, strlen(piece));
    text[*used] = '\0';
}

/* The parser compares each attribute with all before it, and those of a document type for every element. */
TEST(test_attributes)
{
    enum { ATTRIBUTES = 2100, EACH = 12 };
    char *text = malloc(ATTRIBUTES * EACH * 2 + 200);
    size_t used = (size_t)sprintf(text, "<system version=\"1\" ");
    for (size_t i = 0; i < ATTRIBUTES; i++)
        used += (size_t)sprintf(text + used, "a%zu=\"\" ", i);
    sprintf(text + used, "/>");
    refused(text, "too many attributes");
    clump_topology t;
    clump_error error;
    const size_t length = strlen(text);
    char *wide = malloc(2 * length + 2);
    memcpy(wide, "\xff\xfe", 2);
    for (size_t i = 0; i < length; i++) {
        wide[2 * i + 2] = text[i];
        wide[2 * i + 3] = '\0';
    }
    assert_int_equal(clump_topology_read(wide, 2 * length + 2, &usual, &any, &t, &error),
                     CLUMP_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "too many attributes"));
    free(wide);
    /* A comment has none. */
    used = (size_t)sprintf(text, "<system version=\"1\"><!-- ");
    repeat(text, &used, "= ", ATTRIBUTES);
    repeat(text, &used, "--></system>", 1);
    refused(text, "has no <cpu>");
    free(text);
    refused("<!DOCTYPE system [<!ATTLIST cpu a CDATA \"1\" b CDATA \"2\">]><system "
            "version=\"1\"><cpu/></system>",
            "it declares attributes");
    refused("<?xml version=\"1.0\" encoding=\"UTF-7\"?><system version+AD0AIg-1+ACI-/>",
            "not well-formed");
}

TEST(test_depth_and_count)
{
    static const char gpu[] = "<pci busid=\"0:0:0.0\" class=\"0x030200\"><gpu dev=\"0\"/></pci>";
    char *text = malloc(64u << 20);
    size_t used = 0;
    repeat(text, &used, "<system>", 1);
    repeat(text, &used, "<cpu>", 20000);
    refused(text, "not well-formed");
    used = 0;
    repeat(text, &used, "<topology version=\"2.0\">", 1);
    repeat(text, &used, "<object type=\"Group\">", 100000);
    refused(text, "not well-formed");
    used = 0;
    repeat(text, &used, "<system><cpu>", 1);
    repeat(text, &used, gpu, 20000);
    repeat(text, &used, "</cpu></system>", 1);
    refused(text, "more than 8192 parts");
    used = 0;
    repeat(text, &used, "<system>", 1);
    repeat(text, &used, "<x/>", 1000000);
    refused(text, "too many elements");
    used = 0;
    repeat(text, &used, "<system>                                 ", (20u << 20) / 41);
    refused(text, "bytes");
    used = 0;
    repeat(text, &used, "\tGPU0", 1000);
    repeat(text, &used, "\tCPU\n", 1);
    refused(text, "more than 256 devices");
    free(text);
}

TEST(test_nonsense)
{
    refused("", "found no description");
    refused("hello", "found no description");
    refused("<", "not well-formed");
    refused("<system", "not well-formed");
    refused("<html/>", "expected <topology> of hwloc or <system> of NCCL");
    refused("<graphs version=\"1\"/>", "NCCL_TOPO_DUMP_FILE");
    refused("<system/>", "no <cpu>");
    refused("<system><cpu/></system>", "no NIC");
    refused("<topology version=\"9\"/>", "version");
    refused("<system><cpu><nic><net name=\"x\"/></nic></cpu></system>", "GPU");
    /* links in circles, to oneself, to nobody, and more than there can be */
    static const char circle[] =
        "<system><cpu><pci busid=\"a\" class=\"0x030200\"><gpu sm=\"80\"><nvlink target=\"b\" "
        "count=\"4\"/><nvlink target=\"a\" count=\"4\"/><nvlink target=\"?\" "
        "count=\"4\"/></gpu></pci>"
        "<pci busid=\"b\" class=\"0x030200\"><gpu sm=\"80\"><nvlink target=\"a\" "
        "count=\"4\"/></gpu>"
        "</pci><pci busid=\"c\" class=\"0x020000\"/></cpu></system>";
    clump_topology t;
    assert_int_equal(read_text(circle, &usual, &t, NULL), CLUMP_OK);
    assert_int_equal(t.inside_count, 3);
    near(t.inside[0].rate, 100e9);
    clump_topology_free(&t);
    refused("<system><cpu><pci busid=\"a\" class=\"0x030200\"><gpu><nvlink target=\"b\" "
            "count=\"4000000000\"/></gpu></pci></cpu></system>",
            "4e+09 links");
}

TEST(test_rules)
{
    clump_topology t;
    clump_error error;
    const clump_topology_rules wrong[] = {
        {.max_payload = 0, .packet = 4096},
        {.max_payload = 256, .packet = NAN},
        {.max_payload = 256, .packet = 4096, .nic_speed = -1},
    };
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(read_text("<system><cpu/></system>", &wrong[i], &t, &error),
                         CLUMP_BAD_ARGUMENT);
}

UNIT_MAIN(NULL, NULL)
