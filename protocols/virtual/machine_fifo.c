/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/virtual/machine_private.h"

#include <stdlib.h>

bool clump_virtual_cluster_push(machine_fifo *fifo, const machine_item *item)
{
    if (fifo->count == fifo->capacity) {
        const size_t capacity = fifo->capacity > 0 ? 2 * fifo->capacity : 8;
        machine_item *items = malloc(capacity * sizeof *items);
        if (items == NULL) {
            free(item->bytes);
            return false;
        }
        for (size_t i = 0; i < fifo->count; i++)
            items[i] = fifo->items[(fifo->first + i) % fifo->capacity];
        free(fifo->items);
        fifo->items = items;
        fifo->first = 0;
        fifo->capacity = capacity;
    }
    fifo->items[(fifo->first + fifo->count++) % fifo->capacity] = *item;
    return true;
}

bool clump_virtual_cluster_pop(machine_fifo *fifo, machine_item *item)
{
    if (fifo->count == 0)
        return false;
    *item = fifo->items[fifo->first];
    fifo->first = (fifo->first + 1) % fifo->capacity;
    fifo->count--;
    return true;
}

void clump_virtual_cluster_fifo_free(machine_fifo *fifo)
{
    machine_item item;
    while (clump_virtual_cluster_pop(fifo, &item))
        free(item.bytes);
    free(fifo->items);
    *fifo = (machine_fifo){0};
}
