/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/platform_name.h"

#include "cli/output/errors.h"
#include "data/store/store.h"

#include <stddef.h>

int platform_name_check(const char *command, const char *name)
{
    clump_store *reference = NULL;
    clump_store_platform *found = NULL;
    int status = EXIT_DONE;
    if (name == NULL)
        return status;
    if (name[0] == '\0')
        return error_usage(command, "--platform: found '', expected a name");
    const clump_store_status opened = clump_store_open(NULL, CLUMP_STORE_READ, &reference);
    const clump_store_status looked =
        opened == CLUMP_STORE_OK ? clump_store_find_platform(reference, name, &found) : opened;
    if (looked == CLUMP_STORE_OK)
        status = error_usage(command,
                             "--platform: found '%.60s', a platform of the reference "
                             "data, expected a name for this machine",
                             name);
    else if (looked != CLUMP_STORE_NOT_FOUND)
        status = error_store(command, reference, looked);
    clump_store_free(found);
    clump_store_close(reference);
    return status;
}
