/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * SSAM between two workstations in virtual time (ssam.txt, section 3.4): the state machine of
 * reliability/ssam.h, whose cells the processor itself moves through kernel traps, or through the
 * driver's read and write system calls (3.4.2).
 */
#ifndef CLUMP_REPRODUCTIONS_MEASURE_MEASURE_CELLS_H
#define CLUMP_REPRODUCTIONS_MEASURE_MEASURE_CELLS_H

#include "protocols/protocol_status.h"
#include "reproductions/virtual/hardware.h"

#include <stdint.h>

/** What both ends see, polling. */
typedef struct clump_cell_messages {
    double round_trip_us; /**< remote read of 32 bytes */
    double one_way_us;    /**< remote write of 32 bytes: half a round of writes in turn */
    double bytes_per_us;  /**< block write: stream of writes of 32 bytes */
} clump_cell_messages;

typedef struct clump_cells_measured {
    double write_trap_us, read_trap_us; /**< one cell each */
    double read_cell_us;                /**< per cell, 16 cells a trap */
    double write_read_trap_us;          /**< sends one cell, finds none */
    double send_request_us;             /**< table 3, five rows */
    double handle_request_us, handle_request_reply_us, handle_acknowledge_us, handle_reply_us;
    clump_cell_messages messages;
} clump_cells_measured;

/** @param window  w, 1 to 128  @param rounds  at least 1
 *  @return OK, BAD_INPUT, or FAILED (no memory) */
clump_protocol_status clump_measure_cells(const clump_cell_hardware *hardware, uint16_t window,
                                          uint32_t rounds, clump_cells_measured *measured);

/** The same by system calls, whose costs the hardware has (table 2). */
typedef struct clump_cell_calls_measured {
    double write_us, read_us; /**< one cell each */
    double read_empty_us;     /**< finds none */
    clump_cell_messages messages;
} clump_cell_calls_measured;

clump_protocol_status clump_measure_cell_calls(const clump_cell_hardware *hardware, uint16_t window,
                                               uint32_t rounds,
                                               clump_cell_calls_measured *measured);

#endif
