/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "topology/pcie.h"

#include "data/number.h"

#include <stdlib.h>
#include <string.h>

double clump_pcie_rate(double transfers, double lanes)
{
    if (!(transfers >= 1e9 && transfers <= 256e9 && lanes >= 1 && lanes <= 32))
        return 0;
    const double encoding = transfers <= 5e9    ? 8.0 / 10
                            : transfers <= 32e9 ? 128.0 / 130
                                                : 236.0 / 256;
    return transfers * lanes * encoding / 8;
}

/* The number that a text begins with. */
static double leading(const char *text)
{
    double value = 0;
    if (text == NULL || !clump_number_read(text, strspn(text, "0123456789."), &value))
        return 0;
    return value;
}

/* Lanes: "16", "x16", "0x10". */
static double lanes_of(const char *text)
{
    if (text != NULL && text[0] == '0' && text[1] == 'x')
        return (double)strtoul(text, NULL, 16);
    return leading(text != NULL && text[0] == 'x' ? text + 1 : text);
}

double clump_pcie_rate_read(const char *speed, const char *width)
{
    const double unit = speed != NULL && strstr(speed, "MT/s") != NULL ? 1e6 : 1e9;
    return clump_pcie_rate(leading(speed) * unit, lanes_of(width));
}

double clump_pcie_generation(unsigned generation)
{
    static const double rates[] = {0, 2.5e9, 5e9, 8e9, 16e9, 32e9, 64e9, 128e9};
    return generation < sizeof rates / sizeof *rates ? rates[generation] : 0;
}

double clump_pcie_efficiency(double max_payload)
{
    return 57.88 / 62.96 * max_payload / (max_payload + 24);
}

double clump_wire_efficiency(double packet, bool infiniband)
{
    /* Ethernet: preamble 8, header 14, FCS 4, gap 12; IPv4 20, UDP 8, BTH 12, ICRC 4.
     * InfiniBand: LRH 8, BTH 12, ICRC 4, VCRC 2, delimiters and gap 4. */
    return packet / (packet + (infiniband ? 30 : 82));
}
