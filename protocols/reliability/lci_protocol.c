/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/reliability/lci_protocol.h"

#include <string.h>

enum choice { TRANSFER, RELIABILITY, MULTICAST, MTU, TREE, CHOICES };

/* The grammar: words by the choice that they make. */
static const struct word {
    const char *text;
    enum choice choice;
    int value;
} words[] = {
    {"sdma", TRANSFER, CLUMP_TRANSFER_DMA},
    {"pio", TRANSFER, CLUMP_TRANSFER_PIO},
    {"rcpy", TRANSFER, CLUMP_TRANSFER_COPY},
    {"nirx", RELIABILITY, CLUMP_RELIABILITY_NIC},
    {"hrx", RELIABILITY, CLUMP_RELIABILITY_HOST},
    {"hmc", MULTICAST, 1},
    {"1k", MTU, 1024},
    {"2k", MTU, 2048},
    {"4k", MTU, 4096},
    {"binary", TREE, CLUMP_TREE_BINARY},
    {"binomial", TREE, CLUMP_TREE_BINOMIAL},
};

void clump_lci_protocol_words(char text[CLUMP_LCI_WORDS_BYTES])
{
    text[0] = '\0';
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (i > 0)
            strcat(text, words[i].choice == words[i - 1].choice ? "|" : ", ");
        strcat(text, words[i].text);
    }
}

clump_protocol_status clump_lci_protocol_parse(const char *name, clump_lci_protocol *protocol,
                                               const char **wrong)
{
    int value[CHOICES] = {[MTU] = 2048};
    bool given[CHOICES] = {false};
    const char *at = name;
    if (strncmp(name, "l-", 2) == 0)
        at = name + 1;
    while (*at == '-') {
        const char *text = ++at;
        const size_t length = strcspn(text, "-");
        const struct word *found = NULL;
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (strlen(words[i].text) == length && strncmp(words[i].text, text, length) == 0)
                found = &words[i];
        if (found == NULL || given[found->choice]) {
            if (wrong != NULL)
                *wrong = text;
            return CLUMP_PROTOCOL_BAD_INPUT;
        }
        given[found->choice] = true;
        value[found->choice] = found->value;
        if (value[TRANSFER] == CLUMP_TRANSFER_COPY &&
            value[RELIABILITY] == CLUMP_RELIABILITY_HOST) {
            if (wrong != NULL)
                *wrong = text;
            return CLUMP_PROTOCOL_BAD_INPUT;
        }
        at = text + length;
    }
    if (*at != '\0' || at == name) {
        if (wrong != NULL)
            *wrong = at;
        return CLUMP_PROTOCOL_BAD_INPUT;
    }
    *protocol = (clump_lci_protocol){.transfer = (clump_lci_transfer)value[TRANSFER],
                                     .reliability = (clump_lci_reliability)value[RELIABILITY],
                                     .host_multicast = value[MULTICAST] != 0 ||
                                                       value[RELIABILITY] == CLUMP_RELIABILITY_HOST,
                                     .mtu = (uint16_t)value[MTU],
                                     .tree = (clump_tree)value[TREE]};
    return CLUMP_PROTOCOL_OK;
}
