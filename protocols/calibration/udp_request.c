/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/calibration/udp_request.h"

#define MAGIC UINT32_C(0x436c4d63)

/* ---- requests */

bool clump_calibration_request_read(const clump_message *m, clump_calibration_request *request)
{
    const uint32_t first = m->count > 0 ? m->arguments[0] : 0;
    clump_calibration_request r = {.kind = (enum clump_calibration_handler)m->handler};
    bool good = m->size == 0;
    if (m->returned != CLUMP_PROTOCOL_OK || m->count > CLUMP_MESSAGE_ARGUMENTS)
        return false;
    switch (r.kind) {
    case CLUMP_CALIBRATION_BEGIN: /* later versions may add to it */
        good = m->count >= 2 && first == MAGIC;
        r.version = good ? m->arguments[1] : 0;
        break;
    case CLUMP_CALIBRATION_ECHO:
    case CLUMP_CALIBRATION_TAKE:
        good = m->size <= CLUMP_MESSAGE_BULK_BYTES;
        break;
    case CLUMP_CALIBRATION_GIVE:
        good = good && m->count == 1 && first >= 1 && first <= CLUMP_MESSAGE_BULK_BYTES;
        r.size = first;
        break;
    case CLUMP_CALIBRATION_HOLD:
        good = good && m->count == 1 && first >= 1 && first <= CLUMP_CALIBRATION_HOLD_US;
        r.hold_us = first;
        break;
    case CLUMP_CALIBRATION_COUNT:
    case CLUMP_CALIBRATION_END:
        good = good && m->count == 0;
        break;
    default:
        good = false;
    }
    if (good)
        *request = r;
    return good;
}

unsigned clump_calibration_request_write(const clump_calibration_request *r,
                                         uint32_t arguments[CLUMP_MESSAGE_ARGUMENTS])
{
    switch (r->kind) {
    case CLUMP_CALIBRATION_BEGIN:
        arguments[0] = MAGIC;
        arguments[1] = r->version;
        return 2;
    case CLUMP_CALIBRATION_GIVE:
        arguments[0] = r->size;
        return 1;
    case CLUMP_CALIBRATION_HOLD:
        arguments[0] = r->hold_us;
        return 1;
    default:
        return 0;
    }
}

/* ---- answers */

unsigned clump_calibration_welcome_write(const clump_calibration_welcome *w,
                                         uint32_t arguments[CLUMP_MESSAGE_ARGUMENTS])
{
    arguments[0] = (uint32_t)w->status;
    arguments[1] = w->version;
    arguments[2] = w->processors;
    return 3;
}

bool clump_calibration_welcome_read(const clump_message *m, clump_calibration_welcome *w)
{
    if (m->count < 3 || m->arguments[0] > CLUMP_CALIBRATION_OTHER_VERSION)
        return false;
    *w = (clump_calibration_welcome){.status = (clump_calibration_welcome_status)m->arguments[0],
                                     .version = m->arguments[1],
                                     .processors = m->arguments[2]};
    const size_t most = sizeof w->machine - 1, size = m->size < most ? m->size : most;
    for (size_t i = 0; i < size; i++) {
        const unsigned char c = ((const unsigned char *)m->data)[i];
        w->machine[i] = c >= ' ' && c < 127 ? (char)c : '?';
    }
    return true;
}

static void put64(uint32_t *at, uint64_t value)
{
    at[0] = (uint32_t)(value >> 32);
    at[1] = (uint32_t)value;
}

static uint64_t get64(const uint32_t *at)
{
    return (uint64_t)at[0] << 32 | at[1];
}

unsigned clump_calibration_counts_write(const clump_calibration_counts *c,
                                        uint32_t arguments[CLUMP_MESSAGE_ARGUMENTS])
{
    put64(arguments, c->sent);
    put64(arguments + 2, c->arrived);
    put64(arguments + 4, c->resent);
    arguments[6] = c->interruptions;
    return 7;
}

bool clump_calibration_counts_read(const clump_message *m, clump_calibration_counts *c)
{
    if (m->count != 7)
        return false;
    *c = (clump_calibration_counts){.sent = get64(m->arguments),
                                    .arrived = get64(m->arguments + 2),
                                    .resent = get64(m->arguments + 4),
                                    .interruptions = m->arguments[6]};
    return true;
}
