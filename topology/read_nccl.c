/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * <system version="1">
 *   <cpu numaid="0" ...>
 *     <pci busid="0000:0f:00.0" class="0x060400" link_speed="16 GT/s" link_width="16">
 *       <pci busid=... class="0x030200"> <gpu dev="0" sm="80"> <nvlink target="0000:1f:00.0" count="4"/>
 *       <pci busid=... class="0x020700"> <nic> <net name="mlx5_0" speed="200000"/>
 */
#include "topology/pcie.h"
#include "topology/read_formats.h"
#include "topology/xml_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

clump_part_kind topology_pci_kind(unsigned long c)
{
    if (c == 0x0302 || c == 0x0380 || c >> 8 == 0x12)
        return CLUMP_PART_GPU;
    if (c >> 8 == 0x02 || c == 0x0c06)
        return CLUMP_PART_NIC;
    return c == 0x0604 ? CLUMP_PART_SWITCH : CLUMP_PART_MACHINE;
}

/* Bytes a second, one way, of one NVLink of a GPU with this compute capability ("sm": 80); 0: not known.
 * NVIDIA's white papers of P100, V100, A100, H100 and Blackwell, which count both ways. */
static double nvlink_rate(double sm)
{
    return sm >= 100 ? 50e9 : sm >= 70 ? 25e9 : sm >= 60 ? 20e9 : 0;
}

/* The same of one xGMI link of this architecture ("gcn": 908 or "gfx90a"). AMD's data sheets of Instinct
 * MI50, MI100, MI250X and MI300X. */
static double xgmi_rate(const char *architecture)
{
    static const struct {
        const char *name;
        double rate;
    } known[] = {{"906", 46e9}, {"908", 46e9}, {"90a", 50e9}, {"910", 50e9}, {"94", 64e9}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strstr(architecture, known[i].name) != NULL)
            return known[i].rate;
    return 0;
}

/* Of one NIC, and of what some libraries say in its place: the same in bits a second. */
#define MOST_MEGABITS 1e7
#define MOST_SAID 1e13

typedef struct reader {
    clump_topology *topology;
    clump_error *error;
    size_t links; /* looked for so far */
    bool noted;   /* a speed in other units */
    const xmlNode *gpus
        [CLUMP_TOPOLOGY_MOST_PROCESSORS]; /* of parts; their links lead to others that come later */
    size_t gpu_parts[CLUMP_TOPOLOGY_MOST_PROCESSORS], gpu_count;
} reader;

static clump_status read_nets(reader *r, const xmlNode *nic, size_t device)
{
    clump_topology *t = r->topology;
    size_t count = 0, unnamed = 0;
    clump_status status = CLUMP_OK;
    for (const xmlNode *net = nic->children; net != NULL; net = net->next)
        count += clump_xml_is(net, "net");
    for (const xmlNode *net = nic->children; net != NULL && status == CLUMP_OK; net = net->next) {
        char name[CLUMP_PART_NAME];
        size_t port = device;
        if (!clump_xml_is(net, "net"))
            continue;
        snprintf(name, sizeof name, "%s", clump_xml_attribute(net, "name"));
        if (*name == '\0')
            snprintf(name, sizeof name, "net%zu", unnamed++);
        if (count > 1)
            status = clump_topology_add(t, CLUMP_PART_NIC, device, name, "", &port, r->error);
        if (status != CLUMP_OK)
            break;
        t->parts[device].kind = count > 1 ? CLUMP_PART_CARD : CLUMP_PART_NIC;
        clump_part_set_name(&t->parts[port], name);
        double speed;
        status = clump_xml_read_number(net, "speed", MOST_SAID, "1e6 bits a second, such as 200000",
                                       &speed, r->error);
        const double said = speed;
        while (speed > MOST_MEGABITS) /* thousands of bits a second, or bits */
            speed /= 1000;
        if (said > speed && !r->noted)
            clump_topology_note(
                t, "%s: speed %.0f is taken as %g Gb/s; 1e6 bits a second are expected", name, said,
                speed / 1000);
        r->noted = r->noted || said > speed;
        t->parts[port].speed = speed > 0 ? speed * 1e6 : 0;
        t->parts[port].infiniband = t->parts[device].infiniband;
        t->parts[port].rdma = true; /* others are not in such a file */
    }
    return status;
}

static void read_gpu(reader *r, const xmlNode *gpu, size_t part)
{
    clump_topology *t = r->topology;
    const char *number = clump_xml_attribute(gpu, "dev");
    const double sm = clump_xml_number(gpu, "sm");
    if (sm >= 1 && sm <= 999 && (t->compute_capability == 0 || sm < t->compute_capability))
        t->compute_capability = (unsigned)sm;
    if (*number != '\0') {
        char name[CLUMP_PART_NAME];
        snprintf(name, sizeof name, "GPU%.17s", number);
        clump_part_set_name(&t->parts[part], name);
    }
    if (r->gpu_count == CLUMP_TOPOLOGY_MOST_PROCESSORS)
        return; /* who counts them says that they are too many */
    r->gpus[r->gpu_count] = gpu;
    r->gpu_parts[r->gpu_count++] = part;
}

static clump_status read_pci(reader *r, const xmlNode *pci, size_t parent);

static clump_status read_children(reader *r, const xmlNode *element, size_t parent)
{
    clump_status status = CLUMP_OK;
    for (const xmlNode *child = element->children; child != NULL && status == CLUMP_OK;
         child = child->next)
        if (clump_xml_is(child, "pci"))
            status = read_pci(r, child, parent);
        else if (clump_xml_is(child, "nic") && !clump_xml_is(element, "pci")) {
            /* a network without a device on PCI */
            size_t device;
            status =
                clump_topology_add(r->topology, CLUMP_PART_NIC, parent, "", "", &device, r->error);
            if (status == CLUMP_OK)
                status = read_nets(r, child, device);
        }
    return status;
}

static clump_status read_pci(reader *r, const xmlNode *pci, size_t parent)
{
    clump_topology *t = r->topology;
    const unsigned long class_code = strtoul(clump_xml_attribute(pci, "class"), NULL, 16) >> 8;
    const xmlNode *gpu = NULL, *nic = NULL;
    bool deeper = false;
    for (const xmlNode *child = pci->children; child != NULL; child = child->next) {
        gpu = gpu == NULL && clump_xml_is(child, "gpu") ? child : gpu;
        nic = clump_xml_is(child, "nic") ? child : nic;
        deeper = deeper || clump_xml_is(child, "pci");
    }
    clump_part_kind kind = topology_pci_kind(class_code);
    if (gpu != NULL)
        kind = CLUMP_PART_GPU;
    else if (nic != NULL)
        kind = CLUMP_PART_NIC;
    else if (deeper || kind == CLUMP_PART_MACHINE)
        kind = CLUMP_PART_SWITCH; /* if nothing is below it it goes */
    size_t part;
    clump_status status =
        clump_topology_add(t, kind, parent, "", clump_xml_attribute(pci, "busid"), &part, r->error);
    if (status != CLUMP_OK)
        return status;
    if (gpu != NULL)
        read_gpu(r, gpu, part);
    t->parts[part].said = clump_pcie_rate_read(clump_xml_attribute(pci, "link_speed"),
                                               clump_xml_attribute(pci, "link_width"));
    t->parts[part].slot = true;
    t->parts[part].infiniband = class_code == 0x0207 || class_code == 0x0c06;
    t->parts[part].rdma = t->parts[part].infiniband;
    if (kind == CLUMP_PART_NIC && nic != NULL)
        status = read_nets(r, nic, part);
    return status == CLUMP_OK ? read_children(r, pci, part) : status;
}

/* ---- NVLink and xGMI */

static size_t find_gpu(const clump_topology *t, const char *address)
{
    for (size_t i = 0; i < t->part_count; i++)
        if (t->parts[i].kind == CLUMP_PART_GPU && strcasecmp(t->parts[i].address, address) == 0)
            return i;
    return CLUMP_NO_PART;
}

static clump_status read_links(reader *r, const xmlNode *gpu, size_t from)
{
    clump_status status = CLUMP_OK;
    for (const xmlNode *link = gpu->children; link != NULL && status == CLUMP_OK;
         link = link->next) {
        const bool xgmi = clump_xml_is(link, "xgmi");
        if (!xgmi && !clump_xml_is(link, "nvlink"))
            continue;
        const double count = clump_xml_number(link, "count");
        const double one = xgmi ? xgmi_rate(clump_xml_attribute(gpu, "gcn"))
                                : nvlink_rate(clump_xml_number(gpu, "sm"));
        if (!(count >= 1 && count <= 64))
            return clump_fail(r->error, CLUMP_BAD_ARGUMENT,
                              "line %ld: found %g links between two GPUs, expected 1 to 64",
                              xmlGetLineNo(link), count);
        if (++r->links > CLUMP_TOPOLOGY_MOST_INSIDE)
            return clump_fail(
                r->error, CLUMP_BAD_ARGUMENT,
                "line %ld: found more than %d links between GPUs, expected a single node",
                xmlGetLineNo(link), CLUMP_TOPOLOGY_MOST_INSIDE);
        const size_t to = find_gpu(r->topology, clump_xml_attribute(link, "target"));
        if (to != from)
            status = clump_topology_add_inside(
                r->topology,
                (clump_inside_link){from, to, (size_t)count, (double)(size_t)count * one, xgmi},
                r->error);
    }
    return status;
}

/* Devices that have no name in the file. */
static void number_unnamed(clump_topology *t)
{
    size_t gpus = 0, nics = 0;
    for (size_t i = 0; i < t->part_count; i++) {
        clump_part *p = &t->parts[i];
        if (p->kind == CLUMP_PART_GPU) {
            if (*p->name == '\0')
                snprintf(p->name, sizeof p->name, "GPU%zu", gpus);
            gpus++;
        } else if (p->kind == CLUMP_PART_NIC) {
            if (*p->name == '\0')
                snprintf(p->name, sizeof p->name, "NIC%zu", nics);
            nics++;
        }
    }
}

clump_status topology_read_nccl(const xmlNode *root, clump_topology *t, clump_error *error)
{
    reader r = {.topology = t, .error = error};
    clump_status status =
        clump_topology_add(t, CLUMP_PART_MACHINE, CLUMP_NO_PART, "", "", NULL, error);
    for (const xmlNode *cpu = root->children; cpu != NULL && status == CLUMP_OK; cpu = cpu->next) {
        char name[CLUMP_PART_NAME];
        size_t socket;
        if (!clump_xml_is(cpu, "cpu"))
            continue;
        snprintf(name, sizeof name, "NUMA %s", clump_xml_attribute(cpu, "numaid"));
        t->amd_host = strcmp(clump_xml_attribute(cpu, "vendor"), "AuthenticAMD") == 0;
        status = clump_topology_add(t, CLUMP_PART_SOCKET, 0, name, "", &socket, error);
        if (status == CLUMP_OK)
            status = read_children(&r, cpu, socket);
    }
    if (status == CLUMP_OK && t->part_count == 1)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "<system> has no <cpu>, expected one at least");
    for (size_t i = 0; i < r.gpu_count && status == CLUMP_OK; i++)
        status = read_links(&r, r.gpus[i], r.gpu_parts[i]);
    number_unnamed(t);
    t->format = "NCCL";
    for (size_t i = 0; i < t->inside_count; i++)
        if (t->inside[i].xgmi)
            t->format = "RCCL";
    return status;
}
