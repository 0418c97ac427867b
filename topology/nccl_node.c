/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "topology/nccl_node.h"

#include <math.h>
#include <string.h>

/* NCCL counts 12 GB/s of the 15.75 that PCIe 3.0 x16 has after encoding, and likewise of the others (xml.cc,
 * topo.cc of 2.8.4). */
#define OF_PCIE (12 / (8e9 * 16 / 8 * 128 / 130))

static bool read_gpu(const clump_topology *t, const char *name, clump_nccl_gpu *gpu)
{
    const unsigned said = t->compute_capability;
    if (name != NULL) {
        *gpu = strcmp(name, "volta") == 0 ? CLUMP_NCCL_VOLTA : CLUMP_NCCL_AMPERE;
        return *gpu == CLUMP_NCCL_VOLTA || strcmp(name, "ampere") == 0;
    }
    *gpu = said == 70 ? CLUMP_NCCL_VOLTA : CLUMP_NCCL_AMPERE;
    return said == 70 || said == 80;
}

/* GB/s of all NVLinks of a GPU; whether they go to a switch. */
static double nvlink_gb(const clump_topology *t, size_t gpu, bool *to_switch)
{
    double links = 0;
    for (size_t i = 0; i < t->inside_count; i++) {
        const clump_inside_link *l = &t->inside[i];
        if (l->from == gpu && !l->xgmi) {
            links += (double)l->count;
            *to_switch = *to_switch || l->to == CLUMP_NO_PART;
        }
    }
    return links * CLUMP_NCCL_LINK_GB;
}

static double slot_gb(const clump_part *p)
{
    return p->slot && p->said > 0 ? p->said * OF_PCIE : INFINITY;
}

/* Nothing but PCIe switches between the NIC and some GPU. */
static bool has_gpu_near(const clump_topology *t, size_t nic)
{
    for (size_t i = 0; i < t->processor_count; i++) {
        const clump_part_kind kind = t->parts[clump_topology_meet(t, nic, t->processors[i])].kind;
        if (kind == CLUMP_PART_SWITCH || kind == CLUMP_PART_CARD)
            return true;
    }
    return false;
}

clump_status clump_topology_nccl(const clump_topology *t, double nodes, const char *gpu,
                                 clump_nccl_node *node, clump_error *error)
{
    clump_nccl_node n = {.nodes = nodes,
                         .gpus = (double)t->processor_count,
                         .inside_gb = INFINITY,
                         .nics = (double)t->nic_count,
                         .nic_gb = INFINITY,
                         .near = true,
                         .amd = t->amd_host};
    double nvlink = INFINITY;
    for (size_t i = 0; i < t->inside_count; i++)
        if (t->inside[i].xgmi)
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "NCCL: found GPUs of AMD (XGMI), expected NVIDIA's: RCCL's constants "
                              "are others");
    if (!t->gpus)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "NCCL: found no GPUs, expected some");
    if (!read_gpu(t, gpu, &n.gpu))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "NCCL: found %s%.0u%.40s, expected \"volta\" or \"ampere\" (compute "
                          "capability 70 or 80: those of version 2.8)",
                          gpu != NULL                 ? "gpu "
                          : t->compute_capability > 0 ? "GPUs of compute capability "
                                                      : "no generation of GPUs",
                          gpu != NULL ? 0 : t->compute_capability, gpu != NULL ? gpu : "");
    for (size_t i = 0; i < t->processor_count; i++) {
        nvlink = fmin(nvlink, nvlink_gb(t, t->processors[i], &n.nvswitch));
        n.inside_gb = fmin(n.inside_gb, slot_gb(&t->parts[t->processors[i]]));
    }
    n.nvlink = nvlink > 0;
    if (n.nvlink)
        n.inside_gb = nvlink;
    for (size_t i = 0; i < t->nic_count; i++) {
        const clump_part *nic = &t->parts[t->nics[i]];
        n.nic_gb = fmin(n.nic_gb, fmin(nic->speed > 0 ? nic->speed / 8e9 : INFINITY, slot_gb(nic)));
        n.near = n.near && has_gpu_near(t, t->nics[i]);
    }
    if (n.gpus > 1 && !isfinite(n.inside_gb))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "NCCL: found neither NVLink nor the speed of PCIe links, expected one");
    if (!isfinite(n.nic_gb))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "NCCL: found NICs of unknown speed, expected nic_speed");
    *node = n;
    return CLUMP_OK;
}
