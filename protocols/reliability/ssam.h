/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * `ssam`: single-cell Active Messages with a sliding window over cells that may be lost, repeated
 * or reordered (ssam.txt, section 3.3.1). One object is one end of one connection. It does no I/O
 * and reads no clock: cells and the time come in, cells and a deadline go out.
 *
 *   open -> { request | arrive | poll | transmit | deadline } in any order -> close
 *
 * A request waits in the window until its reply, or the acknowledgement of a handler that gave
 * none, is back; it is sent again when that takes longer than the timeout. The receiver keeps the
 * answer of each request: a duplicate request means that the answer was lost, and the answer is
 * sent again. Acknowledgements that wait to be sent at the same time share a cell. So every request
 * is handled exactly once while both ends live. Requests are handled as they arrive, not in the
 * order in which they were sent.
 *
 * Arriving cells wait in buffers (`arrive`, what the kernel's trap does) until the process runs
 * (`poll`). Each connection owns 4w buffers of 64 bytes: w requests, w answers, 2w arriving cells.
 *
 * Restarts: each end has an incarnation, 1 or more, that must grow by one with each start. Before
 * the first request the ends exchange HELLO cells; the low bits of both incarnations make the
 * epoch of all other cells, and cells of another epoch are refused. When the other end turns out to
 * be a new process, what it had not answered is given up and counted in `lost`: whether it was
 * handled cannot be known. Nothing is ever handled by the wrong incarnation.
 *
 * A cell must not be overtaken by 512 - w later ones: the sequence has 10 bits.
 */
#ifndef CLUMP_PROTOCOLS_RELIABILITY_SSAM_H
#define CLUMP_PROTOCOLS_RELIABILITY_SSAM_H

#include "protocols/protocol_status.h"
#include "protocols/reliability/cell.h"

#define CLUMP_TIME_NEVER UINT64_MAX

typedef struct clump_ssam clump_ssam;

/**
 * Handles a request. @return whether there is a reply; then *reply_handler and reply[40] are set.
 * Must not call functions of the same connection.
 */
typedef bool clump_ssam_request_fn(void *context, uint32_t handler,
                                   const unsigned char data[CLUMP_CELL_DATA],
                                   uint32_t *reply_handler, unsigned char reply[CLUMP_CELL_DATA]);
/** Handles a reply, or (has_reply false, data NULL) the acknowledgement of a request. `request` is
 *  the number that clump_ssam_request() gave. The same limits. */
typedef void clump_ssam_reply_fn(void *context, uint64_t request, bool has_reply, uint32_t handler,
                                 const unsigned char *data);

enum { CLUMP_SSAM_WINDOW_MOST = 128, CLUMP_SSAM_BUFFER = 64 };

typedef struct clump_ssam_options {
    uint16_t window;         /**< w: 1 to 128 requests without answer */
    uint64_t timeout_ns;     /**< until a request is sent again, at least 1 */
    uint32_t incarnation;    /**< of this end, at least 1 */
    uint16_t first_sequence; /**< 0 to 1023, the same at both ends */
    clump_ssam_request_fn *request;
    clump_ssam_reply_fn *reply; /**< may be NULL */
    void *context;
} clump_ssam_options;

typedef struct clump_ssam_counters {
    uint64_t requests;     /**< accepted from the caller */
    uint64_t handled;      /**< requests of the other end */
    uint64_t answered;     /**< requests of this end that got their reply or acknowledgement */
    uint64_t cells;        /**< transmitted, of all kinds */
    uint64_t resent;       /**< of these, requests and answers that had been sent before */
    uint64_t duplicates;   /**< cells that arrived again */
    uint64_t refused;      /**< cells that were damaged, of another epoch, or found no buffer */
    uint64_t lost;         /**< requests given up because the other end restarted */
    uint64_t restarts;     /**< of the other end that were seen */
    uint64_t most_buffers; /**< of the 4w buffers, in use at once */
} clump_ssam_counters;

/** Bytes of the 4w buffers: 4 w 64; 8 kB for w = 32 (section 3.5). */
size_t clump_ssam_buffer_bytes(uint16_t window);

/** @return OK, BAD_INPUT, or FAILED (no memory); *ssam is written only if OK. */
clump_protocol_status clump_ssam_open(const clump_ssam_options *options, clump_ssam **ssam);
void clump_ssam_close(clump_ssam *ssam);

/** Take a request over. @param number  receives its number, from 0; may be NULL
 *  @return OK, BAD_INPUT (size above 40), or BLOCKED: the window is full until an answer comes */
clump_protocol_status clump_ssam_request(clump_ssam *ssam, uint32_t handler, const void *data,
                                         size_t size, uint64_t *number);

/** Take an arriving cell into a buffer. @return OK, or BAD_PACKET if it was refused */
clump_protocol_status clump_ssam_arrive(clump_ssam *ssam,
                                        const unsigned char bytes[CLUMP_CELL_SIZE]);

/** Handle what has arrived. @return how many cells */
size_t clump_ssam_poll(clump_ssam *ssam);

/** The next cell to send, if any. Cost: O(1), but when a timer has run out O(w). */
bool clump_ssam_transmit(clump_ssam *ssam, uint64_t now_ns, unsigned char bytes[CLUMP_CELL_SIZE]);

/** When clump_ssam_transmit() has to be asked again at the latest; CLUMP_TIME_NEVER if only an
 *  event can bring something to send. May be early. */
uint64_t clump_ssam_deadline(const clump_ssam *ssam);

/** Whether all requests are answered. */
bool clump_ssam_idle(const clump_ssam *ssam);

clump_ssam_counters clump_ssam_count(const clump_ssam *ssam);

/** What must hold between any two calls, by recounting; for tests. NULL, or what does not hold. */
const char *clump_ssam_check(const clump_ssam *ssam);

#endif
