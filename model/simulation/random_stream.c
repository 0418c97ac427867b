/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/simulation/random_stream.h"

#include "model/random.h"

void simulation_ziggurat_make(simulation_ziggurat *z)
{
    z->x[0] = SIMULATION_AREA * exp(SIMULATION_TAIL);
    z->x[1] = SIMULATION_TAIL;
    for (int i = 1; i < SIMULATION_LAYERS - 1; i++)
        z->x[i + 1] = -log(SIMULATION_AREA / z->x[i] + exp(-z->x[i]));
    z->x[SIMULATION_LAYERS] = 0;
    for (int i = 0; i <= SIMULATION_LAYERS; i++)
        z->f[i] = exp(-z->x[i]);
}

void simulation_random_start(simulation_random *random, uint64_t seed, uint64_t number)
{
    /* Seed and number are mixed one after the other: neighbours give unrelated states. */
    uint64_t state = seed;
    state = clump_splitmix(&state) + number;
    state = clump_splitmix(&state);
    for (int i = 0; i < 4; i++)
        random->s[i] = clump_splitmix(&state);
}
