/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_TESTS_UNIT_FAST_HARDWARE_H
#define CLUMP_TESTS_UNIT_FAST_HARDWARE_H

#include "reproductions/virtual/hardware.h"

/* Costs much like those of a fast PC on Myrinet. They are a test's own: what is measured with them is compared with formulas, and
 * what the program ships may change. */
static const clump_hardware fast_hardware = {.host_word_us = 0.01347,
                                             .host_miss_us = 0.113,
                                             .host_copy_us = 0.0033333,
                                             .pio_word_us = 0.04634,
                                             .pio_byte_us = 0.0083333,
                                             .nic_word_us = 0.03091,
                                             .dma_read_us = 1.8368,
                                             .dma_write_us = 1.6060,
                                             .dma_byte_us = 0.0039324,
                                             .link_byte_us = 0.0041667,
                                             .hop_us = 0.1,
                                             .hops = 3,
                                             .network_us = 1.3656,
                                             .receive_buffer_bytes = 1048576,
                                             .send_buffer_bytes = 1048576};

#endif
