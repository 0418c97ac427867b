/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/virtual/hardware.h"

#define FIELD(name) {#name, offsetof(clump_hardware, name)}
#define CELL(name) {"cell_" #name, offsetof(clump_cell_hardware, name)}

const clump_hardware_field clump_hardware_fields[] = {
    FIELD(host_word_us),         FIELD(host_miss_us),      FIELD(host_copy_us), FIELD(pio_word_us),
    FIELD(pio_byte_us),          FIELD(nic_word_us),       FIELD(dma_read_us), FIELD(dma_write_us), FIELD(dma_byte_us),
    FIELD(link_byte_us),         FIELD(hop_us),            FIELD(hops),         FIELD(network_us),
    FIELD(receive_buffer_bytes), FIELD(send_buffer_bytes), FIELD(watchdog_us),  FIELD(interrupt_us),
};
const size_t clump_hardware_field_count = sizeof clump_hardware_fields / sizeof *clump_hardware_fields;

const clump_hardware_field clump_cell_hardware_fields[] = {
    CELL(trap_us), CELL(check_us), CELL(send_kernel_us), CELL(receive_kernel_us),
    CELL(load_us), CELL(push_us),  CELL(count_us),       CELL(pull_us),
    CELL(demux_us), CELL(store_us), CELL(flow_us),        CELL(cell_us),
};
const size_t clump_cell_hardware_field_count =
    sizeof clump_cell_hardware_fields / sizeof *clump_cell_hardware_fields;

/* A cost of more than a second is a mistake, and would let virtual time overflow. */
static bool sensible(const void *hardware, const clump_hardware_field *fields, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const double value = *(const double *)((const char *)hardware + fields[i].offset);
        if (!(value >= 0 && value <= 1e9))
            return false;
    }
    return true;
}

bool clump_hardware_is_usable(const clump_hardware *h)
{
    return sensible(h, clump_hardware_fields, clump_hardware_field_count) &&
           h->receive_buffer_bytes >= 4096 && h->send_buffer_bytes >= 4096 && h->hops <= 1000;
}

bool clump_cell_hardware_is_usable(const clump_cell_hardware *h)
{
    return sensible(h, clump_cell_hardware_fields, clump_cell_hardware_field_count);
}
