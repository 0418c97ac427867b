/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * GROMACS: processes of one kind compute forces between particles (PP), others those of the grid (PME), at
 * the same time, or all do both in turn. What crosses the network is, each step,
 *  - the grid, when it is transposed between the directions of the FFT, forward and back: once each way
 *    with slabs; with pencils twice, along the rows and along the columns of the PME processes;
 *  - the halo: coordinates to neighbours, and forces back, each process to its lower ones along each axis.
 * Both are numbered row by row, and fill node after node: which partners are on other nodes follows from how many there are
 * along each axis (the log says it) and on a node.
 * Where both kinds run at the same time, what the PME side takes longer only counts as far as the PP side
 * waits for it: the difference of both sides' times in a step scatters, and the log has the mean wait. Of that wait as much
 * as on one node, for each process's share, is what receiving takes.
 */
#include "fitting/clusters/nic_exchange.h"

#include <math.h>

/* Single precision, the default: a point of the grid, which is as many complex numbers of half the
 * points; a position or force. */
#define POINT_BYTES 4
#define VECTOR_BYTES 12

/* Neighbours in three dimensions. */
#define NEIGHBOURS 6

/* More processes than that are not looked at one by one. */
#define MOST_PROCESSES 1048576.0

static double seconds(const clump_program_run *run, const char *phase)
{
    const double value = clump_program_value(run, "phase_time", phase, NULL);
    return isfinite(value) ? value : 0;
}

/* ---- who is where */

/* Processes along each axis; false: the log does not say, or they are not as many. */
static bool read_cells(const clump_program_run *run, const char *const variants[3], double all,
                       double cells[3])
{
    double product = 1;
    for (size_t i = 0; i < 3; i++) {
        cells[i] = clump_program_value(run, "processes_along", variants[i], NULL);
        product *= cells[i];
    }
    return fabs(product - all) < 0.5 && all <= MOST_PROCESSES;
}

/* Share of the pairs of a row (or column) of processes that are on different nodes, themselves counted as partners; of
 * `major` rows of `minor`, `each` on a node. */
static double crossing(double major, double minor, double each, bool rows)
{
    const double lines = rows ? major : minor, length = rows ? minor : major;
    double same = 0;
    for (double line = 0; line < lines; line++) {
        double here = 0, node = -1;
        for (double i = 0; i <= length; i++) {
            const double rank = rows ? line * minor + i : i * minor + line;
            const double next = i < length ? floor(rank / each + 1e-9) : -2;
            if (next == node) {
                here++;
                continue;
            }
            same += here * here; /* ranks of a line rise: those of a node stand together */
            node = next;
            here = 1;
        }
    }
    return 1 - same / (lines * length * length);
}

/* Share of the halo that goes to another node. Along an axis it is as large as there are cells along it, in a box as long as
 * it is wide. */
static double halo_share(const double cells[3], double each)
{
    double share = 0, weights = 0;
    const double steps[3] = {cells[1] * cells[2], cells[2], 1}, all = cells[0] * steps[0];
    for (size_t axis = 0; axis < 3; axis++) {
        double cross = 0;
        if (!(cells[axis] > 1))
            continue;
        for (double rank = 0; rank < all; rank++) {
            const double place = fmod(floor(rank / steps[axis]), cells[axis]);
            const double lower = rank + steps[axis] * (place > 0 ? -1 : cells[axis] - 1);
            cross += floor(rank / each + 1e-9) != floor(lower / each + 1e-9);
        }
        share += cells[axis] * cross / all;
        weights += cells[axis];
    }
    return weights > 0 ? share / weights : 0;
}

/* ---- what takes longer */

/* Of an exchange along rows or columns: seconds that the NICs need before and after. */
typedef struct need {
    double before_s, after_s;
} need;

static void add_need(need *n, const clump_nic_change *nics, double bytes, double message_bytes,
                     double sharing)
{
    if (!(bytes > 0))
        return;
    n->before_s += bytes / clump_nic_carried(nics->from, sharing, message_bytes) / 1e6;
    n->after_s += bytes / clump_nic_carried(nics->to, sharing, message_bytes) / 1e6;
}

/* NAN: the log has time in it, but not how much is sent. */
static double change_of_transposition(const clump_program_account *a, const clump_nic_change *nics,
                                      double steps, double pme)
{
    static const char *const axes[3] = {"PME x", "PME y", "PME z"};
    const char *phase = "PME 3D-FFT Comm.";
    const double nodes = fmin((double)a->run->nodes, pme), each = pme / nodes; /* that have some */
    const double points = clump_program_value(a->run, "grid_points", NULL, NULL);
    const double calls = clump_program_value(a->run, "phase_calls", phase, NULL);
    const double spent_s = seconds(a->run, phase);
    double cells[3], local_s = 0;
    if (spent_s == 0)
        return 0;
    if (!(points > 0) || !(calls > 0))
        return NAN;
    if (!read_cells(a->run, axes, pme, cells)) { /* rows that fill a node */
        cells[1] = calls > 3 * steps ? each : 1;
        cells[0] = pme / cells[1];
    }
    const double whole = 2 * steps * points * POINT_BYTES / nodes;
    need n = {0, 0};
    for (int rows = 0; rows < 2; rows++) {
        const double length = rows ? cells[1] : cells[0];
        if (length > 1)
            add_need(&n, nics, whole * crossing(cells[0], cells[1], each, rows),
                     points * POINT_BYTES / pme / length, each);
    }
    if (!(n.before_s > 0))
        return 0;
    if (a->alone != NULL) {
        const double alone = clump_program_value(a->alone, "grid_points", NULL, NULL);
        local_s = seconds(a->alone, phase) * (alone > 0 ? points / alone : 1) / nodes / nodes;
    }
    return fmin(n.before_s, fmax(0, spent_s - local_s)) * (n.after_s / n.before_s - 1);
}

/* NAN: as above. */
static double change_of_halo(const clump_program_account *a, const clump_nic_change *nics,
                             double steps, double pp)
{
    static const char *const axes[3] = {"PP x", "PP y", "PP z"};
    const double nodes = fmin((double)a->run->nodes, pp), each = pp / nodes;
    /* Coordinates and forces, counted one by one. */
    const double vectors = clump_program_value(a->run, "communicated_atoms", "force", NULL) / 2;
    const double spent_s = seconds(a->run, "Comm. coord.");
    double cells[3];
    if (spent_s == 0)
        return 0;
    if (!(vectors > 0))
        return NAN;
    /* Else the surface of a node's block over that of its domains together: one over the cube root of their number. */
    const double share =
        read_cells(a->run, axes, pp, cells) ? halo_share(cells, each) : pow(each, -1.0 / 3);
    need n = {0, 0};
    add_need(&n, nics, steps * vectors * VECTOR_BYTES / nodes * share,
             vectors * VECTOR_BYTES / pp / NEIGHBOURS, each);
    if (!(n.before_s > 0))
        return 0;
    return 2 * fmin(n.before_s, spent_s) * (n.after_s / n.before_s - 1); /* and forces, back */
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
    const double receiving =
        account->alone != NULL ? seconds(account->alone, "Wait + Recv. PME F") / (double)run->nodes
                               : 0;
    const double deviation = clump_std_dev_of_positive_part(mean, fmax(0, wait - receiving));
    outcome.change_s = halo + clump_mean_positive_part(mean + grid - halo, deviation) -
                       clump_mean_positive_part(mean, deviation);
    return outcome;
}
