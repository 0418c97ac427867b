/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reproductions/command/run_fit.h"

#include <math.h>
#include <stdio.h>

/* A cost that counts as nothing: 0 would stand for the application's own. */
static const double nothing_us = 1e-6;

enum { MOST_RUNS = 40 };

typedef struct search {
    clump_application_run *run;
    run_with_price *with_price;
    void *context;
    char *message;
    double wanted_s;
    double price_us, off_s; /* of the last run: how much longer than wanted it took */
    int runs;
} search;

static clump_protocol_status try_price(search *s, double price_us)
{
    const clump_protocol_status status = s->with_price(price_us, s->context, s->message);
    s->price_us = price_us;
    s->off_s = s->run->time_us / 1e6 - s->wanted_s;
    s->runs++;
    return status;
}

/* Two costs, one too low and one too high, and how far off the run's time is with each. */
typedef struct bracket {
    double low, high, below, above;
} bracket;

static clump_protocol_status find_bracket(search *s, bracket *b)
{
    clump_protocol_status status = try_price(s, nothing_us);
    if (status == CLUMP_PROTOCOL_OK && s->off_s >= 0) {
        snprintf(s->message, CLUMP_CALIBRATION_MESSAGE_BYTES,
                 "found %.4g s without any computation, expected less than %.4g s: no cost of an "
                 "operation gives that",
                 s->wanted_s + s->off_s, s->wanted_s);
        return CLUMP_PROTOCOL_FAILED;
    }
    for (double next = s->run->input->application->operation_us;
         status == CLUMP_PROTOCOL_OK && s->off_s < 0; next *= 2) {
        if (s->runs >= MOST_RUNS) {
            snprintf(s->message, CLUMP_CALIBRATION_MESSAGE_BYTES,
                     "found %.4g s with operations of %.4g us, expected %.4g s: this run hardly "
                     "computes",
                     s->wanted_s + s->off_s, s->price_us, s->wanted_s);
            return CLUMP_PROTOCOL_FAILED;
        }
        b->low = s->price_us;
        b->below = s->off_s;
        status = try_price(s, next);
    }
    b->high = s->price_us;
    b->above = s->off_s;
    return status;
}

clump_protocol_status run_fit(clump_application_run *run, run_with_price *with_price, void *context,
                              double time_s, double *operation_us,
                              char message[CLUMP_CALIBRATION_MESSAGE_BYTES])
{
    search s = {.run = run,
                .with_price = with_price,
                .context = context,
                .message = message,
                .wanted_s = time_s};
    bracket b = {.low = 0};
    clump_protocol_status status = find_bracket(&s, &b);
    /* An end that stays where it is counts half (Illinois): else it would stay for ever. */
    for (int side = 0;
         status == CLUMP_PROTOCOL_OK && s.runs < MOST_RUNS && fabs(s.off_s) > 1e-6 * time_s;) {
        const double middle = (b.low * b.above - b.high * b.below) / (b.above - b.below);
        if (!(middle > b.low && middle < b.high))
            break;
        status = try_price(&s, middle);
        if (s.off_s < 0) {
            b.low = middle;
            b.below = s.off_s;
            b.above *= side < 0 ? 0.5 : 1;
            side = -1;
        } else {
            b.high = middle;
            b.above = s.off_s;
            b.below *= side > 0 ? 0.5 : 1;
            side = 1;
        }
    }
    *operation_us = s.price_us;
    return status;
}
