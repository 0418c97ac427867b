/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Any message at the server of calibrations, and any answer at its client: what is taken keeps to
 * its limits, says the same when it is written and read again, and is printable where it is text.
 */

#include "protocols/calibration/udp_request.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool good)
{
    if (!good)
        abort();
}

static void check_request(const clump_message *m)
{
    clump_calibration_request r, again;
    if (!clump_calibration_request_read(m, &r))
        return;
    check(r.kind >= CLUMP_CALIBRATION_BEGIN && r.kind < CLUMP_CALIBRATION_HANDLERS);
    check(r.kind == CLUMP_CALIBRATION_GIVE
              ? r.size >= 1 && r.size <= CLUMP_MESSAGE_BULK_BYTES && m->size == 0
              : r.size == 0);
    check(r.kind == CLUMP_CALIBRATION_HOLD
              ? r.hold_us >= 1 && r.hold_us <= CLUMP_CALIBRATION_HOLD_US
              : r.hold_us == 0);
    uint32_t arguments[CLUMP_MESSAGE_ARGUMENTS];
    const clump_message written = {.handler = (unsigned)r.kind,
                                   .arguments = arguments,
                                   .count = clump_calibration_request_write(&r, arguments)};
    check(clump_calibration_request_read(&written, &again));
    check(again.kind == r.kind && again.version == r.version && again.size == r.size &&
          again.hold_us == r.hold_us);
}

static void check_answers(const clump_message *m)
{
    clump_calibration_welcome w;
    clump_calibration_counts c;
    if (clump_calibration_welcome_read(m, &w)) {
        check((unsigned)w.status <= CLUMP_CALIBRATION_OTHER_VERSION);
        check(memchr(w.machine, '\0', sizeof w.machine) != NULL);
        for (const char *at = w.machine; *at != '\0'; at++)
            check(*at >= ' ' && *at <= '~');
    }
    if (clump_calibration_counts_read(m, &c)) {
        uint32_t arguments[CLUMP_MESSAGE_ARGUMENTS];
        check(clump_calibration_counts_write(&c, arguments) == m->count);
        check(memcmp(arguments, m->arguments, m->count * sizeof *arguments) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* A handler, a number of arguments, the arguments, and what is left as data; each in memory of
     * its own size, so that one byte too many is seen. */
    if (size < 3)
        return 0;
    const unsigned count = data[1] % (CLUMP_MESSAGE_ARGUMENTS + 1);
    const size_t head = 3, part = count * sizeof(uint32_t);
    if (size < head + part)
        return 0;
    const size_t rest = size - head - part;
    uint32_t *arguments = malloc(part > 0 ? part : 1);
    unsigned char *bulk = malloc(rest > 0 ? rest : 1);
    if (arguments != NULL && bulk != NULL) {
        memcpy(arguments, data + head, part);
        memcpy(bulk, data + head + part, rest);
        const clump_message m = {.handler = data[0],
                                 .returned =
                                     (clump_protocol_status)(data[2] % 16 == 0 ? data[2] / 16 : 0),
                                 .arguments = arguments,
                                 .count = count,
                                 .data = rest > 0 ? bulk : NULL,
                                 .size = rest};
        check_request(&m);
        check_answers(&m);
    }
    free(arguments);
    free(bulk);
    return 0;
}
