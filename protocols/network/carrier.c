/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/network/carrier.h"

const struct clump_carrier_protocol *clump_carrier_protocol_at(unsigned number)
{
    static const struct clump_carrier_protocol *const all[] = {
        &clump_carrier_am2, &clump_carrier_l_hrx, &clump_carrier_ssam};
    return number < sizeof all / sizeof *all ? all[number] : NULL;
}
