/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "topology/read_topology.h"

#include "topology/read_formats.h"
#include "topology/xml_tree.h"

#include <hwloc.h>

#include <string.h>

static clump_status read_xml(const char *bytes, size_t size, clump_topology *t, clump_error *error)
{
    xmlDoc *document;
    clump_status status = clump_xml_read(bytes, size, &document, error);
    if (status != CLUMP_OK)
        return status;
    const xmlNode *root = xmlDocGetRootElement(document);
    if (root != NULL && clump_xml_is(root, "topology"))
        status = topology_read_hwloc(root, t, error);
    else if (root != NULL && clump_xml_is(root, "system"))
        status = topology_read_nccl(root, t, error);
    else if (root != NULL && clump_xml_is(root, "graphs"))
        status = clump_fail(error, CLUMP_BAD_ARGUMENT,
                            "it holds NCCL's graphs (NCCL_GRAPH_DUMP_FILE), expected its topology "
                            "(NCCL_TOPO_DUMP_FILE)");
    else
        status = clump_fail(error, CLUMP_BAD_ARGUMENT,
                            "found another element, expected <topology> of hwloc or <system> of "
                            "NCCL around all others");
    xmlFreeDoc(document);
    return status;
}

/* The first character that is no blank, after a mark of the encoding. Of two bytes a character only XML is. */
static char first_character(const char *bytes, size_t size)
{
    if (size >= 2 && (memcmp(bytes, "\xff\xfe", 2) == 0 || memcmp(bytes, "\xfe\xff", 2) == 0))
        return '<';
    size_t i = size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (i < size &&
           (bytes[i] == ' ' || bytes[i] == '\t' || bytes[i] == '\n' || bytes[i] == '\r'))
        i++;
    return i < size ? bytes[i] : '\0';
}

clump_status clump_topology_read(const char *bytes, size_t size, const clump_topology_rules *rules,
                                 const clump_topology_choice *choice, clump_topology *topology,
                                 clump_error *error)
{
    clump_status status;
    *topology = (clump_topology){.format = ""};
    if (first_character(bytes, size) == '<')
        status = read_xml(bytes, size, topology, error);
    else
        status = topology_read_nvidia_smi(bytes, size, topology, error);
    if (status == CLUMP_OK && topology->part_count == 0)
        status = clump_fail(
            error, CLUMP_BAD_ARGUMENT,
            "found no description of a node%s, expected XML of hwloc (lstopo) or of NCCL "
            "(NCCL_TOPO_DUMP_FILE), or what 'nvidia-smi topo -m' prints",
            size == 0 ? " (it is empty, or a pipe to which nobody writes)" : "");
    if (status == CLUMP_OK)
        status = clump_topology_finish(topology, rules, choice, error);
    if (status != CLUMP_OK)
        clump_topology_free(topology);
    return status;
}

clump_status clump_topology_read_machine(const clump_topology_rules *rules,
                                         const clump_topology_choice *choice,
                                         clump_topology *topology, clump_error *error)
{
    hwloc_topology_t machine;
    char *xml = NULL;
    int length = 0;
    *topology = (clump_topology){.format = ""};
    if (hwloc_topology_init(&machine) != 0)
        return clump_fail_memory(error, "asking hwloc");
    hwloc_topology_set_io_types_filter(machine, HWLOC_TYPE_FILTER_KEEP_ALL);
    const bool known = hwloc_topology_load(machine) == 0 &&
                       hwloc_topology_export_xmlbuffer(machine, &xml, &length, 0) == 0;
    clump_status status =
        known
            ? clump_topology_read(xml, strnlen(xml, (size_t)length), rules, choice, topology, error)
            : clump_fail(error, CLUMP_INCONSISTENT, "hwloc cannot tell what this machine is");
    if (known)
        hwloc_free_xmlbuffer(machine, xml);
    hwloc_topology_destroy(machine);
    return status;
}
