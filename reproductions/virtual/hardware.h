/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * What virtual time knows about a machine: how long its processors, buses and links take. Costs are
 * in microseconds, per byte in microseconds per byte. Protocols say how much there is to do, in
 * words of state that are touched and bytes that are moved; the hardware says what that costs.
 */
#ifndef CLUMP_REPRODUCTIONS_VIRTUAL_HARDWARE_H
#define CLUMP_REPRODUCTIONS_VIRTUAL_HARDWARE_H

#include <stdbool.h>
#include <stddef.h>

/** A node with a programmable NIC (LCI, Myrinet AM-II). */
typedef struct clump_hardware {
    double host_word_us;         /**< host: one word of protocol state, with the code around it */
    double host_miss_us;         /**< host: a cache line that the NIC has written to memory */
    double host_copy_us;         /**< host: a byte copied from the receive queue to the user */
    double host_fill_us;         /**< host: a byte copied from the user to a packet, in the cache */
    double pio_word_us;          /**< host: a word stored in NIC memory */
    double pio_byte_us;          /**< host: a byte of packet data stored in NIC memory */
    double nic_word_us;          /**< NIC: one word of protocol state */
    double dma_read_us;          /**< a DMA transfer from the host, whatever its size */
    double dma_write_us;         /**< to the host */
    double dma_byte_us;          /**< each of its bytes */
    double link_byte_us;         /**< a byte on the network link */
    double hop_us;               /**< a switch */
    double hops;                 /**< between two nodes, on average */
    double network_us;           /**< the rest of the way: cables, conversions */
    double receive_buffer_bytes; /**< NIC memory for packets that arrive */
    double send_buffer_bytes;    /**< and for packets that leave */
    double watchdog_us;          /**< polling watchdog: until an interrupt is raised */
    double interrupt_us;         /**< host: an interrupt, passed on as a signal, and the way back */
    double pin_us;               /**< host: the kernel pins a page and says where it is */
} clump_hardware;

/** An ATM interface that the processor feeds cell by cell through kernel traps (SSAM). */
typedef struct clump_cell_hardware {
    double trap_us;                           /**< trap and return */
    double check_us;                          /**< protection: process and connection */
    double send_kernel_us, receive_kernel_us; /**< the rest of the kernel's work */
    double load_us;                           /**< cell from memory to registers */
    double push_us;                           /**< cell to the interface */
    double count_us;                          /**< read how many cells have arrived */
    double pull_us;                           /**< cell from the interface */
    double demux_us;                          /**< to which process it belongs */
    double store_us;                          /**< cell from registers to memory */
    double flow_us; /**< the library: flow control, formatting or dispatch */
    double cell_us; /**< a cell on the link */
    /* The same by system calls, read and write of one cell each; 0 where nobody asks for them. */
    double call_write_us, call_read_us; /**< a call of an empty driver */
    double call_check_us; /**< write: check the file descriptor, move a cell from the user */
    double call_push_us;  /**< cell to the interface */
    double call_ready_us; /**< read: check the file descriptor and whether there is a cell */
    double call_pull_us;  /**< cell from the interface */
    double call_move_us;  /**< move it to the user */
} clump_cell_hardware;

/** Fields by name, for whoever reads descriptions from files. */
typedef struct clump_hardware_field {
    const char *name; /**< "hardware_host_word" */
    const char *unit; /**< "us", "us/B", "B" or "count" */
    size_t offset;    /**< of a double */
} clump_hardware_field;

extern const clump_hardware_field clump_hardware_fields[];
extern const size_t clump_hardware_field_count;
extern const clump_hardware_field clump_cell_hardware_fields[];
extern const size_t clump_cell_hardware_field_count;
/** Those of system calls. */
extern const clump_hardware_field clump_cell_call_fields[];
extern const size_t clump_cell_call_field_count;

/** What of a description has been read: zero to begin with. */
typedef struct clump_hardware_reading {
    bool found[64]; /**< by place in the table of fields */
    size_t known;
} clump_hardware_reading;

/** Take a value into `hardware` if it is one of its fields, and the first one of that name. @return whether it is a field */
bool clump_hardware_take(const clump_hardware_field *fields, size_t count, void *hardware,
                         clump_hardware_reading *reading, const char *name, double value);

/** Whether all costs are finite and not negative, and there is room for buffers. */
bool clump_hardware_is_usable(const clump_hardware *hardware);
bool clump_cell_hardware_is_usable(const clump_cell_hardware *hardware);

#endif
