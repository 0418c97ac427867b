/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/simulation/traffic_program.h"

#include <math.h>

static const double fit_precision = 0.003;
enum { MOST_FITS = 12 };

void clump_program_set_traffic(clump_program *program, const clump_traffic *remote,
                               const clump_traffic *local, double waited_share, bool answered)
{
    const double S = remote->short_messages + local->short_messages;
    const double B = remote->bulk_messages + local->bulk_messages;
    const double bytes = remote->bulk_bytes + local->bulk_bytes;
    const double away = remote->short_messages + remote->bulk_messages;
    const double answers = answered ? (S >= B ? (S + B) / 2 : S) : 0;
    program->messages = S + B - answers;
    program->reply_share = program->messages > 0 ? answers / program->messages : 0;
    program->bulk_share = program->messages > 0 ? B / program->messages : 0;
    program->bulk_bytes = B > 0 ? fmax(bytes / B, 1) : 1;
    program->remote_share = S + B > 0 ? away / (S + B) : 0;
    program->blocking_share = waited_share;
}

double clump_program_shorten(clump_program *program, double most)
{
    const double part = program->messages > most ? most / program->messages : 1;
    program->messages *= part;
    program->phases = fmax(rint(program->phases * part), 1);
    program->computation_us *= part;
    return part;
}

/* Regula falsi on a growing function. The few replications use the same random numbers each time,
 * so that it is one function. */
clump_status clump_program_fit_computation(clump_program *program, const clump_cluster *now,
                                           double target_us,
                                           const clump_simulation_options *options,
                                           clump_error *error)
{
    clump_simulation_options own = *options;
    /* Random computations can be shorter than their mean, but not by that much. */
    double low = 0, low_time = 0, high = 2 * target_us, high_time = NAN;
    double slope = 1, best = NAN, least_off = HUGE_VAL;
    own.progress = NULL;
    own.precision = 1;
    for (int i = 0; i < MOST_FITS; i++) {
        clump_message_result r;
        program->computation_us =
            i == 0 ? 0
            : isnan(high_time)
                ? fmin(low + (target_us - low_time) * slope, high)
                : low + (high - low) *
                            fmin(fmax((target_us - low_time) / (high_time - low_time), 0.02), 0.98);
        const clump_status status =
            clump_simulate_messages(now, NULL, program, &own, &r, NULL, NULL, error);
        if (status != CLUMP_OK)
            return status;
        if (isnan(r.time_us)) {
            program->computation_us = NAN;
            return clump_fail(error, CLUMP_NO_CONVERGENCE,
                              "%g events are too few for a run of the program on the NOW; raise "
                              "the number that is allowed, or simulate fewer messages",
                              own.most_events);
        }
        if (i == 0 && r.time_us > target_us)
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "the messages alone take %.4g s on the NOW, more than the %.4g s "
                              "given for the whole run; expected a window or style that lets "
                              "them take less, or computation instead of now_time",
                              r.time_us / 1e6, target_us / 1e6);
        const double off = fabs(r.time_us - target_us);
        if (off < fit_precision * target_us)
            return CLUMP_OK;
        if (off <= r.half_width && off < least_off) {
            best = program->computation_us;
            least_off = off;
        }
        if (r.time_us < target_us) {
            /* A computation that overlaps with messages counts for less than its length. */
            slope = i == 0 ? 1 : fmax((program->computation_us - low) / (r.time_us - low_time), 1);
            low = program->computation_us;
            low_time = r.time_us;
        } else {
            high = program->computation_us;
            high_time = r.time_us;
        }
    }
    if (!isnan(best)) {
        program->computation_us = best;
        return CLUMP_OK;
    }
    return clump_fail(error, CLUMP_NO_CONVERGENCE,
                      "no computation was found with which the simulated NOW takes %.4g s",
                      target_us / 1e6);
}
