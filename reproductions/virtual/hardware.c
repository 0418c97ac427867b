/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reproductions/virtual/hardware.h"

#include <string.h>

#define FIELD(text, unit, field)                                                                   \
    {                                                                                              \
        "hardware_" text, unit, offsetof(clump_hardware, field)                                    \
    }
#define CELL(text, field)                                                                          \
    {                                                                                              \
        "hardware_cell_" text, "us", offsetof(clump_cell_hardware, field)                          \
    }

const clump_hardware_field clump_hardware_fields[] = {
    FIELD("host_word", "us", host_word_us),
    FIELD("host_miss", "us", host_miss_us),
    FIELD("host_copy", "us/B", host_copy_us),
    FIELD("host_fill", "us/B", host_fill_us),
    FIELD("pio_word", "us", pio_word_us),
    FIELD("pio_byte", "us/B", pio_byte_us),
    FIELD("nic_word", "us", nic_word_us),
    FIELD("dma_read", "us", dma_read_us),
    FIELD("dma_write", "us", dma_write_us),
    FIELD("dma_byte", "us/B", dma_byte_us),
    FIELD("link_byte", "us/B", link_byte_us),
    FIELD("hop", "us", hop_us),
    FIELD("hops", "count", hops),
    FIELD("network", "us", network_us),
    FIELD("receive_memory", "B", receive_buffer_bytes),
    FIELD("send_memory", "B", send_buffer_bytes),
    FIELD("watchdog", "us", watchdog_us),
    FIELD("interrupt", "us", interrupt_us),
    FIELD("pin", "us", pin_us),
};
const size_t clump_hardware_field_count =
    sizeof clump_hardware_fields / sizeof *clump_hardware_fields;

const clump_hardware_field clump_cell_hardware_fields[] = {
    CELL("trap", trap_us),
    CELL("check", check_us),
    CELL("send_kernel", send_kernel_us),
    CELL("receive_kernel", receive_kernel_us),
    CELL("load", load_us),
    CELL("push", push_us),
    CELL("count", count_us),
    CELL("pull", pull_us),
    CELL("demux", demux_us),
    CELL("store", store_us),
    CELL("flow", flow_us),
    CELL("link", cell_us),
};
const size_t clump_cell_hardware_field_count =
    sizeof clump_cell_hardware_fields / sizeof *clump_cell_hardware_fields;

const clump_hardware_field clump_cell_call_fields[] = {
    CELL("call_write", call_write_us), CELL("call_check", call_check_us),
    CELL("call_push", call_push_us),   CELL("call_read", call_read_us),
    CELL("call_ready", call_ready_us), CELL("call_pull", call_pull_us),
    CELL("call_move", call_move_us),
};
const size_t clump_cell_call_field_count =
    sizeof clump_cell_call_fields / sizeof *clump_cell_call_fields;

bool clump_hardware_take(const clump_hardware_field *fields, size_t count, void *hardware,
                         clump_hardware_reading *reading, const char *name, double value)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(fields[i].name, name) != 0)
            continue;
        if (!reading->found[i])
            *(double *)((char *)hardware + fields[i].offset) = value;
        reading->known += !reading->found[i];
        reading->found[i] = true;
        return true;
    }
    return false;
}

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
    return sensible(h, clump_cell_hardware_fields, clump_cell_hardware_field_count) &&
           sensible(h, clump_cell_call_fields, clump_cell_call_field_count);
}
