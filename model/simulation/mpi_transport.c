/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/simulation/mpi_transport.h"

#include "model/workload/collective.h"

#include <stdlib.h>
#include <string.h>

enum {
    OB1_HEADER = 64
}; /* sizeof(mca_pml_ob1_hdr_t): an eager limit of Open MPI's is less by that */

#define KIB UINT64_C(1024)

/*
 * TCP's first congestion window is 10 segments, 14,480 bytes on an Ethernet (RFC 6928), and each that is acknowledged lets two follow: between emulated
 * nodes 20 kB were seen (MODEL.md 15). NICs with a queue for each connection serve them in turn, a packet at a time.
 */
#define TCP_WINDOW (20 * KIB)
#define FAIR_WINDOW (4 * KIB)

/*
 * ob1: Open MPI 4.1.4, btl_tcp_component.c and btl_vader_component.c (limits of 65,536 and 4,096 bytes), pml_ob1_sendreq.h (start_rdma: TCP
 *      puts when asked, vader, which 5.0 calls sm, is read from by CMA); limits seen: 65,472 and 4,032. What a socket took at once on emulated nodes was 0.5 MB (a
 *      send of 400,000 bytes ended at once, one of 1,000,000 when 450,000 had left).
 *      mca_pml_ob1_calc_weighted_length has a NIC take its share while more than the limit is left.
 * ucx: UCX 1.13.1, ucp_tag_rndv.c, UCX_MIN_RNDV_CHUNK_SIZE; limits that ucx_info -e -u t says, and that were seen with MPICH 4.0.2: 8,191 (TCP: put when asked, whose end is
 *      acknowledged) and 8,255 (CMA). InfiniBand is read from by RDMA (rndv_scheme get); its limit follows from the speed of the NIC.
 * ofi: libfabric 1.17, fi_rxm(7): FI_OFI_RXM_SAR_LIMIT, longer messages are read, which the sender's progress answers; fi_cxi(7):
 *      FI_CXI_RDZV_THRESHOLD, matched by the NIC. Within nodes: MPICH 4.0's posix cells (MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_*), 64 of 68 KiB.
 */
static const clump_mpi_transport table[] = {
    {"ob1", "tcp", false, 64 * KIB - OB1_HEADER, 64 * KIB, true, false, 512 * KIB, false,
     TCP_WINDOW, true},
    {"ob1", "vader", true, 4 * KIB - OB1_HEADER, 4 * KIB, false, true, 0, false, FAIR_WINDOW,
     false},
    {"ob1", "sm", true, 4 * KIB - OB1_HEADER, 4 * KIB, false, true, 0, false, FAIR_WINDOW, false},
    {"ucx", "tcp", false, 8 * KIB - 1, 16 * KIB, true, true, 0, false, TCP_WINDOW, false},
    {"ucx", "shm", true, 8255, 16 * KIB, false, true, 0, false, FAIR_WINDOW, false},
    {"ucx", "ib", false, 8 * KIB, 16 * KIB, false, true, 0, false, FAIR_WINDOW, false},
    {"ofi", "tcp", false, 128 * KIB, 128 * KIB, true, true, 0, false, TCP_WINDOW, false},
    {"ofi", "cxi", false, 16 * KIB, 16 * KIB, false, true, 0, true, FAIR_WINDOW, false},
    {"ofi", "posix", true, 64 * 68 * KIB, 64 * 68 * KIB, true, true, 0, false, FAIR_WINDOW, false},
};

enum { ROWS = sizeof table / sizeof *table };

/* The first row of the library of that kind, or the one with the name. */
static const clump_mpi_transport *row(const char *pml, size_t length, const char *name,
                                      size_t name_length, bool local)
{
    for (size_t i = 0; i < ROWS; i++)
        if (strlen(table[i].pml) == length && strncmp(table[i].pml, pml, length) == 0 &&
            table[i].local == local &&
            (name == NULL || (strlen(table[i].name) == name_length &&
                              strncmp(table[i].name, name, name_length) == 0)))
            return &table[i];
    return NULL;
}

/* "tcp 65536, vader 4096)": what the rows are, and their limits. */
static void read_names(const char *pml, size_t length, const char *at, clump_mpi_transports *t)
{
    while (*at != '\0' && *at != ')') {
        at += strspn(at, " ,");
        const char *name = at;
        const size_t size = strcspn(name, " ,)");
        char *end;
        at += size;
        const unsigned long long limit = strtoull(at, &end, 10);
        at = end;
        for (int local = 0; local < 2; local++) {
            const clump_mpi_transport *found = row(pml, length, name, size, local);
            clump_mpi_transport *to = local ? &t->local : &t->remote;
            if (found == NULL)
                continue;
            *to = *found;
            t->noted = true;
            if (limit > 0)
                to->whole_most = limit;
            if (limit > 0)
                to->eager_most =
                    limit > OB1_HEADER && strcmp(to->pml, "ob1") == 0 ? limit - OB1_HEADER : limit;
        }
        if (size == 0 && limit == 0)
            return;
    }
}

clump_mpi_transports clump_mpi_transports_of(const char *library)
{
    const bool mpich = clump_mpi_library_of(library) == CLUMP_MPI_MPICH;
    const char *pml = mpich ? "ucx" : "ob1";
    const char *told = library != NULL ? strchr(library, '(') : NULL;
    size_t length = strlen(pml);
    if (told != NULL && row(told + 1, strcspn(told + 1, ":"), NULL, 0, false) != NULL) {
        pml = told + 1;
        length = strcspn(pml, ":");
    } else {
        told = NULL;
    }
    clump_mpi_transports t = {*row(pml, length, NULL, 0, false), *row(pml, length, NULL, 0, true),
                              false, mpich};
    if (told != NULL && pml[length] == ':')
        read_names(pml, length, pml + length + 1, &t);
    t.known |= t.noted || (library != NULL && strstr(library, "Open MPI") != NULL);
    return t;
}
