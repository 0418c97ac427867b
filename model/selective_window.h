/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_SELECTIVE_WINDOW_H
#define CLUMP_MODEL_SELECTIVE_WINDOW_H

/* Inside of lossy_stream.h: a window whose packets have a timer each. */

#include "model/lossy_stream.h"

/**
 * Time per packet, by a Markov chain over timeouts (MODEL.md, section "Protocols").
 * @param gap_us  between packets that nothing keeps; the stream's loss is above 0
 * Errors: CLUMP_NO_MEMORY, CLUMP_NO_CONVERGENCE.
 */
clump_status clump_selective_window(const clump_lossy_stream *stream, double gap_us,
                                    double *packet_us, clump_error *error);

#endif
