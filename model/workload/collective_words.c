/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What people call algorithms of collective operations, beside their names. NCCL and most texts know rings and trees;
 * which ring and which tree depends on the kind.
 */
#include "model/workload/collective.h"

#include <stddef.h>

#define A(name) CLUMP_COLLECTIVE_##name

typedef struct meaning {
    const char *word;
    clump_collective_kind kind;
    clump_collective_algorithm algorithm;
} meaning;

static const meaning meanings[] = {
    {"tree", A(BARRIER), A(BINOMIAL)},
    {"tree", A(BROADCAST), A(BINOMIAL)},
    {"tree", A(REDUCE), A(BINOMIAL)},
    {"tree", A(GATHER), A(BINOMIAL)},
    {"tree", A(SCATTER), A(BINOMIAL)},
    {"tree", A(ALLREDUCE), A(REDUCE_FIRST)},
    {"tree", A(REDUCE_SCATTER), A(REDUCE_FIRST)},
    {"tree", A(ALLGATHER), A(GATHER_FIRST)},
    {"ring", A(BROADCAST), A(SCATTER_RING)},
    {"ring", A(ALLTOALL), A(PAIRWISE)},
    {"recursive-doubling", A(BROADCAST), A(SCATTER_ALLGATHER)},
    {"recursive-doubling", A(REDUCE_SCATTER), A(RECURSIVE_HALVING)},
    {"recursive-doubling", A(ALLTOALL), A(BRUCK)},
    {"hierarchical-with-rails", A(ALLREDUCE), A(RAILS)},
    {"hierarchical-without-rails", A(ALLREDUCE), A(HIERARCHICAL)},
    {"hierarchical-without-rails", A(BROADCAST), A(HIERARCHICAL)},
    {"hierarchical-without-rails", A(ALLGATHER), A(HIERARCHICAL)},
    {"hierarchical-without-rails", A(REDUCE_SCATTER), A(HIERARCHICAL)},
};
enum { MEANINGS = sizeof meanings / sizeof *meanings };

static const char *letters(const char *text)
{
    while (*text == '-' || *text == '_' || *text == ' ')
        text++;
    return text;
}

bool clump_collective_word_is(const char *text, const char *word)
{
    for (text = letters(text), word = letters(word); *text != '\0' && *text == *word;)
        text = letters(text + 1), word = letters(word + 1);
    return *text == *word;
}

clump_collective_kind clump_collective_kind_meant(const char *text)
{
    int k = 0;
    while (k < CLUMP_COLLECTIVE_KINDS &&
           !clump_collective_word_is(text, clump_collective_kind_name((clump_collective_kind)k)))
        k++;
    return (clump_collective_kind)k;
}

clump_collective_algorithm clump_collective_algorithm_meant(clump_collective_kind kind,
                                                            const char *text)
{
    for (int a = 0; a < CLUMP_COLLECTIVE_ALGORITHMS; a++) {
        const clump_collective_algorithm algorithm = (clump_collective_algorithm)a;
        if (clump_collective_has(kind, algorithm) &&
            clump_collective_word_is(text, clump_collective_algorithm_name(algorithm)))
            return algorithm;
    }
    for (size_t i = 0; i < MEANINGS; i++)
        if (meanings[i].kind == kind && clump_collective_word_is(text, meanings[i].word))
            return meanings[i].algorithm;
    return CLUMP_COLLECTIVE_ALGORITHMS;
}

const char *clump_collective_word_at(clump_collective_kind kind, size_t index)
{
    for (size_t i = 0; i < MEANINGS; i++)
        if (meanings[i].kind == kind && index-- == 0)
            return meanings[i].word;
    return NULL;
}
