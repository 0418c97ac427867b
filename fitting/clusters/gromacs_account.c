/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * GROMACS: processes of one kind compute forces between particles (PP), others those of the grid (PME), at
 * the same time, or all do both in turn. What crosses the network is, each step,
 *  - the grid, when it is transposed between the directions of the FFT, forward and back: once each way
 *    with slabs; with pencils twice, of which one transposition is between the PME processes of a node
 *    (they are numbered node by node) and the other between nodes;
 *  - the halo: coordinates to neighbours, and forces back. The surface of a node's block over that of its
 *    domains together is one over the cube root of their number.
 * Where both kinds run at the same time, what the PME side takes longer only counts as far as the PP side
 * waits for it: the difference of both sides' times in a step scatters, and the log has the mean wait.
 */
#include "fitting/clusters/nic_exchange.h"

#include <math.h>

/* Single precision, the default: a point of the grid, which is as many complex numbers of half the
 * points; a position or force. */
#define POINT_BYTES 4
#define VECTOR_BYTES 12

/* Neighbours in three dimensions. */
#define NEIGHBOURS 6

static double seconds(const clump_program_run *run, const char *phase)
{
    const double value = clump_program_value(run, "phase_time", phase, NULL);
    return isfinite(value) ? value : 0;
}

/* NAN: the log has time in it, but not how much is sent. */
static double change_of_transposition(const clump_program_account *a, const clump_nic_change *nics,
                                      double steps, double pme)
{
    const char *phase = "PME 3D-FFT Comm.";
    const double nodes = fmin((double)a->run->nodes, pme), each = pme / nodes; /* that have some */
    const double points = clump_program_value(a->run, "grid_points", NULL, NULL);
    const double calls = clump_program_value(a->run, "phase_calls", phase, NULL);
    const bool pencils = calls > 3 * steps;
    clump_nic_exchange x = {.seconds = seconds(a->run, phase), .sharing = each};
    if (x.seconds == 0)
        return 0;
    if (!(points > 0) || !(calls > 0))
        return NAN;
    /* Of a transposition the share of one's own node stays. */
    x.bytes = 2 * steps * points * POINT_BYTES / nodes * (1 - 1 / nodes);
    x.message_bytes = points * POINT_BYTES / pme / (pencils ? pme / each : pme);
    if (a->alone != NULL) {
        const double alone = clump_program_value(a->alone, "grid_points", NULL, NULL);
        x.local_seconds =
            seconds(a->alone, phase) * (alone > 0 ? points / alone : 1) / nodes / nodes;
    }
    return clump_nic_exchange_change(&x, nics);
}

/* NAN: as above. */
static double change_of_halo(const clump_program_account *a, const clump_nic_change *nics,
                             double steps, double pp)
{
    const double nodes = fmin((double)a->run->nodes, pp), each = pp / nodes;
    /* Coordinates and forces, counted one by one. */
    const double vectors = clump_program_value(a->run, "communicated_atoms", "force", NULL) / 2;
    clump_nic_exchange x = {.seconds = seconds(a->run, "Comm. coord."), .sharing = each};
    if (x.seconds == 0)
        return 0;
    if (!(vectors > 0))
        return NAN;
    x.bytes = steps * vectors * VECTOR_BYTES / nodes * pow(each, -1.0 / 3);
    x.message_bytes = vectors * VECTOR_BYTES / pp / NEIGHBOURS;
    return 2 * clump_nic_exchange_change(&x, nics); /* and forces, back */
}

clump_program_outcome clump_gromacs_predict(const clump_program_account *account,
                                            const clump_nic_change *nics)
{
    static const char *const waiting[] = {"Comm. coord.",   "Wait + Comm. F", "Wait + Recv. PME F",
                                          "Comm. energies", "Send X to PME",  "Comm. PP/PME"};
    static const char *const particles[] = {"Comm. coord.", "Force", "Wait + Comm. F",
                                            "NB X/F buffer ops."};
    const clump_program_run *run = account->run;
    const double steps = clump_program_value(run, "phase_calls", "PME mesh", NULL);
    const double pme = clump_program_processes(run, "phase_time", "PME mesh");
    const double pp = clump_program_processes(run, "phase_time", "Force");
    clump_program_outcome outcome = {0};
    if (!(steps > 0) || !(pme > 0) || !(pp > 0)) {
        outcome.problem = "the log has no cycle accounting with 'Force' and 'PME mesh'";
        return outcome;
    }
    for (size_t i = 0; i < sizeof waiting / sizeof *waiting; i++)
        outcome.communication_s += seconds(run, waiting[i]);
    const double grid = change_of_transposition(account, nics, steps, pme);
    const double halo = change_of_halo(account, nics, steps, pp);
    if (!isfinite(grid) || !isfinite(halo)) {
        outcome.problem = isfinite(halo)
                              ? "the log has time in 'PME 3D-FFT Comm.', but not how often, or no "
                                "points of the grid"
                              : "the log has time in 'Comm. coord.', but not how many atoms were "
                                "communicated for the force";
        return outcome;
    }
    const double wait = seconds(run, "Wait + Recv. PME F");
    if (pp + pme > run->processes + 0.5 || wait == 0) { /* one after the other */
        outcome.communication_s +=
            seconds(run, "PME 3D-FFT Comm.") + seconds(run, "PME redist. X/F");
        outcome.change_s = grid + halo;
        return outcome;
    }
    double mean = seconds(run, "PME mesh");
    for (size_t i = 0; i < sizeof particles / sizeof *particles; i++)
        mean -= seconds(run, particles[i]);
    const double deviation = clump_std_dev_of_positive_part(mean, wait);
    outcome.change_s = halo + clump_mean_positive_part(mean + grid - halo, deviation) -
                       clump_mean_positive_part(mean, deviation);
    return outcome;
}
