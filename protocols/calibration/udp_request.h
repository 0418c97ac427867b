/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * What the two ends of a calibration between machines say to each other: requests to the one that
 * listens (udp_server.h) and its answers, as Active Messages. Numbers are arguments of 32 bits; `n`
 * is the number of data bytes.
 *
 *     BEGIN  magic, version   ANSWER  status, version, processors; data: what kind of machine
 *     ECHO   anything         DONE    the same arguments and data
 *     TAKE   anything         DONE    nothing, after the data were copied
 *     GIVE   n, 1 to 8192     DONE    n bytes: as arguments up to 32 if n is a multiple of 4, else
 *                                     as data
 *     HOLD   us, 1 to 4000    ANSWER  nothing; then the server does not poll for that long
 *     COUNT                   ANSWER  the counts of this session, and how often the system has
 *                                     taken the processor from the server
 *     END                     ANSWER  nothing; the next client may come
 *
 * Nothing but BEGIN is served for who has not begun. Reading checks everything, on both sides.
 */
#ifndef CLUMP_PROTOCOLS_CALIBRATION_UDP_REQUEST_H
#define CLUMP_PROTOCOLS_CALIBRATION_UDP_REQUEST_H

#include "protocols/message.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CLUMP_CALIBRATION_VERSION = 1, CLUMP_CALIBRATION_HOLD_US = 4000 };

/** Handlers of the server. */
enum clump_calibration_handler {
    CLUMP_CALIBRATION_BEGIN = 1,
    CLUMP_CALIBRATION_ECHO,
    CLUMP_CALIBRATION_TAKE,
    CLUMP_CALIBRATION_GIVE,
    CLUMP_CALIBRATION_HOLD,
    CLUMP_CALIBRATION_COUNT,
    CLUMP_CALIBRATION_END,
    CLUMP_CALIBRATION_HANDLERS
};

/** Handlers of the client. */
enum { CLUMP_CALIBRATION_DONE = 1, CLUMP_CALIBRATION_ANSWER };

/** A request that has been checked. */
typedef struct clump_calibration_request {
    enum clump_calibration_handler kind;
    uint32_t version; /**< of BEGIN */
    uint32_t size;    /**< of GIVE */
    uint32_t hold_us; /**< of HOLD */
} clump_calibration_request;

/** @return false for what no client of ours sends */
bool clump_calibration_request_read(const clump_message *message,
                                    clump_calibration_request *request);

/** Arguments of a request. @return how many; BEGIN 2, GIVE and HOLD 1, else 0 */
unsigned clump_calibration_request_write(const clump_calibration_request *request,
                                         uint32_t arguments[CLUMP_MESSAGE_ARGUMENTS]);

/** Answer to BEGIN. */
typedef enum clump_calibration_welcome_status {
    CLUMP_CALIBRATION_WELCOME = 0,
    CLUMP_CALIBRATION_BUSY,         /**< with another client */
    CLUMP_CALIBRATION_OTHER_VERSION /**< it speaks `version` */
} clump_calibration_welcome_status;

enum { CLUMP_CALIBRATION_MACHINE_BYTES = 100 };

typedef struct clump_calibration_welcome {
    clump_calibration_welcome_status status;
    uint32_t version, processors;
    char machine[CLUMP_CALIBRATION_MACHINE_BYTES]; /**< printable; what kind, never its name */
} clump_calibration_welcome;

/** Arguments, 3; the data are the text. */
unsigned clump_calibration_welcome_write(const clump_calibration_welcome *welcome,
                                         uint32_t arguments[CLUMP_MESSAGE_ARGUMENTS]);
/** @return false for what no server of ours sends; what is not printable becomes '?' */
bool clump_calibration_welcome_read(const clump_message *message,
                                    clump_calibration_welcome *welcome);

/** Answer to COUNT. */
typedef struct clump_calibration_counts {
    uint64_t sent, arrived; /**< datagrams of the session */
    uint64_t resent;        /**< packets */
    uint32_t interruptions; /**< processor taken away; only differences say something */
} clump_calibration_counts;

/** Arguments, 7. */
unsigned clump_calibration_counts_write(const clump_calibration_counts *counts,
                                        uint32_t arguments[CLUMP_MESSAGE_ARGUMENTS]);
bool clump_calibration_counts_read(const clump_message *message, clump_calibration_counts *counts);

#endif
