/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * When to look at the network: the adaptive polling strategy of chapter 4.
 *
 * An endpoint with two protocols looks at shared memory in every poll, because that is cheap, and
 * at the network only in every s-th. The strategy chooses s from what the last polls received:
 *
 *   uint32_t most = clump_polling_begin(&polling);    how many network messages to accept; 0: skip
 *   ... accept local messages (at most `acceptance`), then at most `most` remote ones ...
 *   clump_polling_end(&polling, local, remote);
 *
 * Both estimates are fixed-point moving averages of messages per poll:
 *
 *   local, after every poll (4.8):   t = floor(((d-1) t + k a n) / d)
 *   remote, after s polls (4.6):     t = floor(((2d-s) t + s + a n) / (2d))
 *   s = t_local / t_remote (4.7), held within [s_min, s_max]
 *
 * The remote estimate never falls below 1, so that the division needs no check. The floor costs
 * the local estimate up to d - 1 on its way up: it settles within (k a n - d, k a n].
 *
 * No I/O, no clock, no allocation; a few shifts a poll.
 */
#ifndef CLUMP_PROTOCOLS_ENDPOINT_ADAPTIVE_POLLING_H
#define CLUMP_PROTOCOLS_ENDPOINT_ADAPTIVE_POLLING_H

#include "protocols/protocol_status.h"

#include <stdint.h>

/** The six parameters of table 4.1. */
typedef struct clump_polling_parameters {
    uint32_t acceptance;   /**< local messages accepted by a poll, 1 to 1,024; default 4 */
    uint32_t accuracy;     /**< a: fixed-point one, a power of two to 2^20; default 4,096 */
    uint32_t damping;      /**< d: a power of two below a, to 2^16; default 256 */
    uint32_t equality;     /**< k: a power of two to 4,096; default 4 */
    uint32_t minimum_skip; /**< s_min, 1 or more; default 4 */
    uint32_t maximum_skip; /**< s_max, s_min to d; default 64 */
} clump_polling_parameters;

/** Table 4.1. */
clump_polling_parameters clump_polling_defaults(void);

/**
 * Table 4.1 for a machine on which looking at the network costs so many local polls. The thesis's
 * looks cost 8.5 (table 7.1) and s_max = 64 of them one: looks took an eighth of the time of the
 * polls between them. The same share needs s_max = 64 look/8.5, here the nearest power of two from
 * 16 to 4,096; d and a grow with it. `look` of 0 or less, or not finite: table 4.1.
 */
clump_polling_parameters clump_polling_for(double look);

/**
 * Read a strategy. "adaptive" leaves the parameters alone; "adaptive:NAME=NUMBER,..." sets those
 * that it names, of acceptance, a, d, k, s_min, s_max; "always" sets s_min = s_max = 1;
 * "fractional:K" sets both to K (1 to d). BAD_INPUT for anything else; nothing is changed then.
 * What was set is checked by clump_polling_check().
 */
clump_protocol_status clump_polling_parse(const char *strategy,
                                          clump_polling_parameters *parameters);

enum { CLUMP_POLLING_TEXT = 112 };

/** All six as a strategy that clump_polling_parse() reads. */
void clump_polling_write(const clump_polling_parameters *parameters, char text[CLUMP_POLLING_TEXT]);

/**
 * What is wrong with the parameters, as a sentence that names the parameter and what is expected;
 * NULL if nothing is.
 */
const char *clump_polling_check(const clump_polling_parameters *parameters);

/** The strategy's state. Read what you like; only the functions below write. */
typedef struct clump_polling {
    uint64_t local;  /**< t^local, in units of 1/(k a) messages a poll */
    uint64_t remote; /**< t^remote, in units of 1/a messages a poll; at least 1 */
    uint32_t skip;   /**< s: the network is looked at in every s-th poll */
    uint32_t left;   /**< polls until then */
    uint32_t acceptance, minimum_skip, maximum_skip;
    uint32_t accuracy_shift, damping_shift, local_shift; /**< a, d and k a as powers of two */
} clump_polling;

/** Begin, with the network due in the first poll. The parameters must have passed the check. */
void clump_polling_start(clump_polling *polling, const clump_polling_parameters *parameters);

/**
 * A poll begins: how many network messages it may accept, 0 when it skips the network. A poll that
 * stands for s polls accepts s times as many (section 4.1.3), so that skipping starves nobody.
 */
static inline uint32_t clump_polling_begin(clump_polling *polling)
{
    if (--polling->left != 0)
        return 0;
    return polling->acceptance * polling->skip;
}

/**
 * This poll shall look although its turn has not come, after clump_polling_begin() gave 0. It
 * stands for the polls that have passed since the last look: (4.6) holds for any number of them.
 * @return as clump_polling_begin()
 */
static inline uint32_t clump_polling_hasten(clump_polling *polling)
{
    polling->skip -= polling->left;
    polling->left = 0;
    return polling->acceptance * polling->skip;
}

/** The next poll shall look, whenever its turn would be; likewise. */
static inline void clump_polling_hurry(clump_polling *polling)
{
    polling->skip -= polling->left - 1;
    polling->left = 1;
}

/** The poll has ended, having accepted so many messages of each protocol. */
static inline void clump_polling_end(clump_polling *p, uint32_t local, uint32_t remote)
{
    /* More than was allowed would be the caller's mistake; it must not overflow the estimates. */
    const uint64_t n = local < p->acceptance ? local : p->acceptance;
    p->local =
        ((p->local << p->damping_shift) - p->local + (n << p->local_shift)) >> p->damping_shift;
    if (p->left != 0)
        return;
    const uint64_t most = (uint64_t)p->acceptance * p->skip;
    const uint64_t twice_damping = UINT64_C(2) << p->damping_shift;
    const uint64_t m = remote < most ? remote : most;
    p->remote = ((twice_damping - p->skip) * p->remote + p->skip + (m << p->accuracy_shift)) >>
                (p->damping_shift + 1);
    const uint64_t s = p->local / p->remote;
    p->skip = s < p->minimum_skip ? p->minimum_skip
                                  : (s > p->maximum_skip ? p->maximum_skip : (uint32_t)s);
    p->left = p->skip;
}

#endif
