/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/lossy_protocol.h"

#include <stdbool.h>
#include <string.h>

enum choice { TRANSFER, RELIABILITY, MULTICAST, MTU, TREE, CHOICES };
enum { ON_NIC = 1, ON_HOST };

static const struct word {
    const char *text;
    enum choice choice;
    int value;
} words[] = {
    {"sdma", TRANSFER, 0},
    {"pio", TRANSFER, 0},
    {"rcpy", TRANSFER, 8}, /* bytes of addresses */
    {"nirx", RELIABILITY, ON_NIC},
    {"hrx", RELIABILITY, ON_HOST},
    {"hmc", MULTICAST, 0},
    {"1k", MTU, 1024},
    {"2k", MTU, 2048},
    {"4k", MTU, 4096},
    {"binary", TREE, 0},
    {"binomial", TREE, 0},
};

const char clump_lossy_protocol_names[] =
    "\"l-nirx\" (the NIC sends again), \"l-hrx\" (the host does), \"ssam\", or \"l-sdma\", "
    "\"l-pio\", \"l-rcpy\" where nothing is lost";

/* "sdma, pio or rcpy, nirx or hrx, ..." */
static void list_words(char text[96])
{
    const size_t count = sizeof words / sizeof *words;
    text[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        const bool joins = i > 0 && words[i].choice == words[i - 1].choice,
                   last = i + 1 == count || words[i + 1].choice != words[i].choice;
        strcat(text, i == 0 ? "" : joins && last ? " or " : ", ");
        strcat(text, words[i].text);
    }
}

clump_status clump_lossy_protocol_parse(const char *name, clump_lossy_protocol *protocol,
                                        clump_error *error)
{
    static const clump_lossy_protocol ssam = {CLUMP_RECOVERY_SELECTIVE, 1, 40, 32};
    int value[CHOICES] = {[MTU] = 2048}, given[CHOICES] = {0};
    const char *at = strncmp(name, "l-", 2) == 0 ? name + 1 : "";
    if (strcmp(name, "ssam") == 0) {
        *protocol = ssam;
        return CLUMP_OK;
    }
    if (*at == '\0')
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "found '%.40s', expected %s", name,
                          clump_lossy_protocol_names);
    while (*at == '-') {
        const char *text = ++at;
        const size_t length = strcspn(text, "-");
        const struct word *found = NULL;
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (strlen(words[i].text) == length && strncmp(words[i].text, text, length) == 0)
                found = &words[i];
        if (found == NULL) {
            char expected[96];
            list_words(expected);
            return clump_fail(error, CLUMP_BAD_ARGUMENT, "found '%.*s' in '%.40s', expected %s",
                              (int)(length < 20 ? length : 20), text, name, expected);
        }
        if (given[found->choice])
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "'%s' in '%.40s' contradicts a word before it", found->text, name);
        given[found->choice] = 1;
        value[found->choice] = found->value;
        if (value[TRANSFER] != 0 && value[RELIABILITY] == ON_HOST)
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "rcpy and hrx in '%.40s', expected one of them: the NIC would write "
                              "to memory before the host knows whether it is the packet's turn",
                              name);
        at = text + length;
    }
    *protocol = (clump_lossy_protocol){
        .recovery = value[RELIABILITY] != 0 ? CLUMP_RECOVERY_GO_BACK_N : CLUMP_RECOVERY_NONE,
        .on_host = value[RELIABILITY] == ON_HOST,
        .packet_bytes = (double)(value[MTU] - value[TRANSFER]),
        .window = 32,
    };
    return CLUMP_OK;
}
