/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * <topology version="2.0"> of lstopo: objects in objects. Read from the document, since libhwloc refuses
 * the files of versions newer than its own. Kept are packages, cores, bridges, PCI devices that are GPUs or NICs,
 * and the names of their devices; all else is looked through.
 */
#include "topology/read_formats.h"
#include "topology/xml_tree.h"

#include "data/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_GPU_OBJECTS = 4096, MOST_DISTANCES = 512 };

typedef struct reader {
    clump_topology *topology;
    clump_error *error;
    bool masks;      /* kinds of devices are sets of bits, since version 3 */
    bool devices;    /* it has I/O at all */
    bool interfaces; /* some NIC has a name */
    size_t cores, sockets;
    /* Objects of GPUs by the number that distances name them by. */
    struct {
        double number;
        size_t part;
    } gpu_objects[MOST_GPU_OBJECTS];
    size_t gpu_object_count;
} reader;

enum device_kind { DEVICE_OTHER = 0, DEVICE_GPU = 1, DEVICE_NETWORK = 2, DEVICE_FABRIC = 4 };

static unsigned device_kind(const reader *r, const xmlNode *device)
{
    static const unsigned old[] = {DEVICE_OTHER,  DEVICE_GPU,   DEVICE_NETWORK,
                                   DEVICE_FABRIC, DEVICE_OTHER, DEVICE_GPU};
    const double type = clump_xml_number(device, "osdev_type");
    if (!(type >= 0 && type < 4096))
        return DEVICE_OTHER;
    const unsigned bits = (unsigned)type;
    if (!r->masks)
        return bits < sizeof old / sizeof *old ? old[bits] : DEVICE_OTHER;
    return ((bits & 12) != 0 ? DEVICE_GPU : 0U) | ((bits & 16) != 0 ? DEVICE_NETWORK : 0U) |
           ((bits & 32) != 0 ? DEVICE_FABRIC : 0U);
}

static bool has_attribute(const xmlNode *element, const char *name, const char *value)
{
    return strcmp(clump_xml_attribute(element, name), value) == 0;
}

static const xmlNode *next_object(const xmlNode *node)
{
    while (node != NULL && !clump_xml_is(node, "object"))
        node = node->next;
    return node;
}
#define EACH_OBJECT(child, parent)                                                                 \
    const xmlNode *child = next_object((parent)->children);                                        \
    child != NULL;                                                                                 \
    child = next_object(child->next)

/* The number in front of a unit, in 1e9 bits a second; that of a model, as in "I350 Gigabit", is none. */
static double speed_before(const char *text, const char *unit)
{
    static const int speeds[] = {2, 5, 10, 20, 25, 40, 50, 56, 100, 200, 400, 800};
    const char *digit = unit, *end;
    while (digit > text && (digit[-1] == '-' || digit[-1] == ' '))
        digit--;
    for (end = digit; digit > text && digit[-1] >= '0' && digit[-1] <= '9';)
        digit--;
    if (digit > text && digit[-1] != ' ' && digit[-1] != '-')
        end = digit;
    for (size_t i = 0; digit < end && i < sizeof speeds / sizeof *speeds; i++)
        if (strtol(digit, NULL, 10) == speeds[i])
            return speeds[i] * 1e9;
    return 1e9;
}

/* What is known by the name of a device: "10-Gigabit", "40GbE", "Gigabit". */
static double speed_by_name(const xmlNode *device)
{
    for (const xmlNode *info = device->children; info != NULL; info = info->next) {
        if (!clump_xml_is(info, "info") || !has_attribute(info, "name", "PCIDevice"))
            continue;
        const char *value = clump_xml_attribute(info, "value");
        const char *gigabit = strstr(value, "Gigabit"), *gbe = strstr(value, "GbE");
        if (gigabit == NULL && gbe == NULL)
            return 0;
        return speed_before(value, gigabit != NULL ? gigabit : gbe);
    }
    return 0;
}

/* Names of the devices of a GPU or a NIC: of several the one that programs know it by. */
static void name_device(reader *r, const xmlNode *pci, clump_part *part, bool *has_interface)
{
    unsigned best = 0;
    for (EACH_OBJECT(child, pci)) {
        if (!has_attribute(child, "type", "OSDev"))
            continue;
        const unsigned kind = device_kind(r, child);
        const char *name = clump_xml_attribute(child, "name");
        const unsigned rank = part->kind == CLUMP_PART_GPU
                                  ? (kind & DEVICE_GPU)
                                  : kind & (DEVICE_NETWORK | DEVICE_FABRIC);
        if (part->kind == CLUMP_PART_NIC && rank != 0)
            *has_interface = r->interfaces = true;
        if (part->kind == CLUMP_PART_NIC && (kind & DEVICE_FABRIC) != 0 &&
            strncmp(name, "usnic", 5) != 0)
            part->rdma = true;
        if (rank > best) {
            best = rank;
            clump_part_set_name(part, name);
        }
    }
}

/* Screens have devices that are called GPUs, too: card0 and the like. */
static bool computes(const reader *r, const xmlNode *device)
{
    static const char *const names[] = {"cuda", "nvml", "rsmi", "ze", "opencl"};
    const char *name = clump_xml_attribute(device, "name");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if ((device_kind(r, device) & DEVICE_GPU) != 0 &&
            strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* A NIC without any interface is a function for somebody else (of a virtual machine): marked here,
 * taken out below if others have some. */
static const char no_interface[] = "?";

static void remember_gpu(reader *r, const xmlNode *object, size_t part)
{
    const double number = clump_xml_number(object, "gp_index");
    if (number > 0 && r->gpu_object_count < MOST_GPU_OBJECTS) {
        r->gpu_objects[r->gpu_object_count].number = number;
        r->gpu_objects[r->gpu_object_count++].part = part;
    }
}

/* 0 is what hwloc writes where it does not know. */
static clump_status read_link(reader *r, const xmlNode *pci, clump_part *p)
{
    double speed;
    const clump_status status = clump_xml_read_number(
        pci, "pci_link_speed", 1e5, "1e9 bytes a second, such as 15.75", &speed, r->error);
    p->said = speed > 0 ? speed * 1e9 : 0;
    p->slot = true;
    return status;
}

static clump_status add_device(reader *r, const xmlNode *pci, size_t parent)
{
    clump_topology *t = r->topology;
    const char *address = clump_xml_attribute(pci, "pci_busid");
    const unsigned long class_code = strtoul(clump_xml_attribute(pci, "pci_type"), NULL, 16);
    clump_part_kind kind = topology_pci_kind(class_code);
    if (class_code == 0x0300) /* a screen, unless somebody computes on it */
        for (EACH_OBJECT(child, pci))
            if (computes(r, child))
                kind = CLUMP_PART_GPU;
    if (kind != CLUMP_PART_GPU && kind != CLUMP_PART_NIC)
        return CLUMP_OK;
    size_t part;
    bool has_interface = false;
    const clump_status status = clump_topology_add(t, kind, parent, "", address, &part, r->error);
    if (status != CLUMP_OK)
        return status;
    clump_part *p = &t->parts[part];
    const clump_status read = read_link(r, pci, p);
    if (read != CLUMP_OK)
        return read;
    if (kind == CLUMP_PART_GPU) {
        remember_gpu(r, pci, part);
        for (EACH_OBJECT(child, pci))
            remember_gpu(r, child, part);
    }
    p->infiniband = p->rdma = class_code == 0x0207 || class_code == 0x0c06;
    name_device(r, pci, p, &has_interface);
    if (kind == CLUMP_PART_NIC && !has_interface && !p->infiniband)
        snprintf(p->name, sizeof p->name, "%s", no_interface);
    if (kind == CLUMP_PART_NIC)
        p->speed = speed_by_name(pci);
    return CLUMP_OK;
}

/* A bridge; the host's has no link of its own. */
static clump_status add_bridge(reader *r, const xmlNode *bridge, size_t parent, size_t *part)
{
    clump_topology *t = r->topology;
    const bool host = strncmp(clump_xml_attribute(bridge, "bridge_type"), "0-", 2) == 0;
    const bool root_port = /* of a host's bridge */
        t->parts[parent].kind == CLUMP_PART_BRIDGE && *t->parts[parent].address == '\0';
    const clump_status status =
        clump_topology_add(t, host || root_port ? CLUMP_PART_BRIDGE : CLUMP_PART_SWITCH, parent, "",
                           clump_xml_attribute(bridge, "pci_busid"), part, r->error);
    return status == CLUMP_OK && !host ? read_link(r, bridge, &t->parts[*part]) : status;
}

/* An interface that is on no PCI device. */
static clump_status add_interface(reader *r, const xmlNode *device, size_t parent)
{
    size_t part;
    const unsigned kind = device_kind(r, device);
    const char *name = clump_xml_attribute(device, "name");
    if ((kind & (DEVICE_NETWORK | DEVICE_FABRIC)) == 0 || strcmp(name, "lo") == 0)
        return CLUMP_OK;
    const clump_status status =
        clump_topology_add(r->topology, CLUMP_PART_NIC, parent, name, "", &part, r->error);
    if (status == CLUMP_OK)
        r->topology->parts[part].rdma = (kind & DEVICE_FABRIC) != 0;
    r->interfaces = true;
    return status;
}

static size_t count_cores(const xmlNode *object)
{
    size_t cores = 0;
    for (EACH_OBJECT(child, object))
        cores += has_attribute(child, "type", "Core") ? 1 : count_cores(child);
    return cores;
}

static bool is_package(const char *type)
{
    return strcmp(type, "Package") == 0 || strcmp(type, "Socket") == 0;
}

/* Version 1 has a package and its devices side by side below a NUMA node or a group: if the package is the only one
 * the devices are its own. Devices beside the packages of a machine may be of any. */
static bool has_one_package(const xmlNode *object)
{
    size_t packages = 0;
    if (!has_attribute(object, "type", "NUMANode") && !has_attribute(object, "type", "Group"))
        return false;
    for (EACH_OBJECT(child, object))
        packages += is_package(clump_xml_attribute(child, "type"));
    return packages == 1;
}

static clump_status read_objects(reader *r, const xmlNode *object, size_t parent, bool core_less);

static clump_status read_object(reader *r, const xmlNode *object, const char *type, size_t parent,
                                bool core_less, size_t *part)
{
    char name[CLUMP_PART_NAME];
    clump_status status = CLUMP_OK;
    *part = parent;
    if (is_package(type)) {
        snprintf(name, sizeof name, "socket %zu", r->sockets++);
        status =
            clump_topology_add(r->topology, CLUMP_PART_SOCKET, parent, name, "", part, r->error);
    } else if (strcmp(type, "Core") == 0 || (core_less && strcmp(type, "PU") == 0)) {
        snprintf(name, sizeof name, "core%zu", r->cores++);
        status = clump_topology_add(r->topology, CLUMP_PART_CORE, parent, name, "", NULL, r->error);
    } else if (strcmp(type, "Bridge") == 0) {
        r->devices = true;
        status = add_bridge(r, object, parent, part);
    } else if (strcmp(type, "PCIDev") == 0) {
        r->devices = true;
        return add_device(r, object, parent);
    } else if (strcmp(type, "OSDev") == 0) {
        r->devices = true;
        status = add_interface(r, object, parent);
    }
    return status == CLUMP_OK ? read_objects(r, object, *part, core_less) : status;
}

/* Depth is limited by the document's. */
static clump_status read_objects(reader *r, const xmlNode *object, size_t parent, bool core_less)
{
    const bool one_package = has_one_package(object);
    size_t device_parent = parent;
    clump_status status = CLUMP_OK;
    /* Devices come after packages, where they may belong. */
    for (int devices = 0; devices < 2; devices++)
        for (EACH_OBJECT(child, object)) {
            size_t part;
            const char *type = clump_xml_attribute(child, "type");
            const bool is_device = strcmp(type, "Bridge") == 0 || strcmp(type, "PCIDev") == 0 ||
                                   strcmp(type, "OSDev") == 0;
            if (is_device != (devices == 1))
                continue;
            status =
                read_object(r, child, type, is_device ? device_parent : parent, core_less, &part);
            if (status != CLUMP_OK)
                return status;
            if (one_package && is_package(type))
                device_parent = part;
        }
    return status;
}

/* NICs nobody here can use; names for the others that have none. */
static void settle_names(reader *r)
{
    clump_topology *t = r->topology;
    size_t gpus = 0, left_out = 0;
    for (size_t i = 0; i < t->part_count; i++) {
        clump_part *p = &t->parts[i];
        if (p->kind == CLUMP_PART_GPU) {
            if (*p->name == '\0')
                snprintf(p->name, sizeof p->name, "GPU%zu", gpus);
            gpus++;
        } else if (p->kind == CLUMP_PART_NIC && strcmp(p->name, no_interface) == 0 &&
                   r->interfaces) {
            p->kind = CLUMP_PART_SWITCH; /* with nothing below it, it goes */
            left_out++;
        } else if (p->kind == CLUMP_PART_NIC &&
                   (*p->name == '\0' || strcmp(p->name, no_interface) == 0))
            snprintf(p->name, sizeof p->name, "%s", p->address);
    }
    if (left_out > 0)
        clump_topology_note(
            t, "left out %zu network device%s without an interface, such as virtual functions",
            left_out, left_out == 1 ? "" : "s");
}

/* ---- NVLink and xGMI: <distances2hetero name="NVLinkBandwidth"> with megabytes a second */

static size_t find_gpu(const reader *r, double number)
{
    for (size_t i = 0; i < r->gpu_object_count; i++)
        if (r->gpu_objects[i].number == number)
            return r->gpu_objects[i].part;
    return CLUMP_NO_PART;
}

/* The numbers of all elements of a name, "OSDev:802" being 802; false if there are not `count`. */
static bool read_numbers(const xmlNode *distances, const char *name, double *numbers, size_t count)
{
    size_t n = 0;
    for (const xmlNode *child = distances->children; child != NULL; child = child->next) {
        if (!clump_xml_is(child, name) || child->children == NULL ||
            child->children->content == NULL)
            continue;
        for (const char *c = (const char *)child->children->content; *c != '\0';) {
            const size_t word = strcspn(c, " \t\r\n");
            const char *colon = memchr(c, ':', word);
            const char *digits = colon != NULL ? colon + 1 : c;
            if (word > 0 && n == count)
                return false;
            if (word > 0 && !clump_number_read(digits, word - (size_t)(digits - c), &numbers[n++]))
                return false;
            c += word + (c[word] != '\0');
        }
    }
    return n == count;
}

static clump_status read_distances(reader *r, const xmlNode *distances)
{
    const char *name = clump_xml_attribute(distances, "name");
    const bool xgmi = strcmp(name, "XGMIBandwidth") == 0;
    const double wanted = clump_xml_number(distances, "nbobjs");
    if ((!xgmi && strcmp(name, "NVLinkBandwidth") != 0) || !(wanted >= 1) ||
        wanted > MOST_DISTANCES)
        return CLUMP_OK;
    const size_t n = (size_t)wanted;
    double *numbers = malloc((n + n * n) * sizeof *numbers);
    clump_status status = CLUMP_OK;
    if (numbers == NULL)
        return clump_fail_memory(r->error, "distances");
    if (!read_numbers(distances, "indexes", numbers, n) ||
        !read_numbers(distances, "u64values", numbers + n, n * n))
        clump_topology_note(r->topology, "%s is not whole: left out", name);
    else
        for (size_t i = 0; i < n && status == CLUMP_OK; i++)
            for (size_t k = 0; k < n && status == CLUMP_OK; k++) {
                const double rate = numbers[n + i * n + k] * 1e6;
                const size_t from = find_gpu(r, numbers[i]), to = find_gpu(r, numbers[k]);
                if (i != k && from != CLUMP_NO_PART && from != to && rate > 0 && rate < 1e15)
                    status = clump_topology_add_inside(
                        r->topology, (clump_inside_link){from, to, 1, rate, xgmi}, r->error);
            }
    free(numbers);
    return status;
}

clump_status topology_read_hwloc(const xmlNode *root, clump_topology *t, clump_error *error)
{
    reader r = {.topology = t, .error = error};
    const char *version = clump_xml_attribute(root, "version");
    r.masks = strtod(version, NULL) >= 3;
    if (strtod(version, NULL) >= 4)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "it is of version %.10s of hwloc's XML, expected 1 to 3", version);
    clump_status status =
        clump_topology_add(t, CLUMP_PART_MACHINE, CLUMP_NO_PART, "", "", NULL, error);
    if (status == CLUMP_OK)
        status = read_objects(&r, root, 0, count_cores(root) == 0);
    for (const xmlNode *child = root->children; child != NULL && status == CLUMP_OK;
         child = child->next)
        if (clump_xml_is(child, "distances2hetero") || clump_xml_is(child, "distances2"))
            status = read_distances(&r, child);
    if (status == CLUMP_OK && !r.devices)
        return clump_fail(
            error, CLUMP_BAD_ARGUMENT,
            "there are no I/O devices in the export: expected that of 'lstopo node.xml' "
            "on the node itself, where PCI can be read");
    settle_names(&r);
    t->format = "hwloc";
    return status;
}
