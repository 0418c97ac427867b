/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command.h"
#include "cli/data_names.h"
#include "cli/database.h"
#include "cli/output/errors.h"

#include <stdio.h>

static int write_bytes(const char *bytes, size_t size, void *context)
{
    (void)context;
    return fwrite(bytes, 1, size, stdout) != size;
}

/* A name that stands for two things is asked about: two exports would have two header lines. */
static int make_filter(const char *command, const named_records *named, clump_store_filter *filter)
{
    static const char *const with_article[] = {"a platform", "an application", "a quantity",
                                               "a source"};
    size_t found = 0;
    record_kind kinds[RECORD_KIND_COUNT] = {RECORD_PLATFORM};
    for (size_t k = 0; k < RECORD_KIND_COUNT; k++)
        if (named->records[k].count > 0)
            kinds[found++] = (record_kind)k;
    if (found > 1)
        return error_input(
            command, "'%.200s' is the name of both %s and %s; 'clumpmodel data show' has both",
            named->name, with_article[kinds[0]], with_article[kinds[1]]);
    *filter = named_records_filter(named, kinds[0]);
    return EXIT_DONE;
}

static int run(const command_invocation *invocation)
{
    const command_line *arguments = &invocation->arguments;
    clump_store *store = NULL;
    clump_store_filter filter = {.platform = NULL};
    named_records named = {.name = NULL};
    if (invocation->format_given && invocation->format != FORMAT_CSV)
        return error_usage(arguments->command,
                           "--format: found table or json, expected csv; 'clumpmodel "
                           "data show' has the others");
    int status = database_open(invocation, &store);
    if (status == EXIT_DONE && arguments->operand_count > 0) {
        named.name = arguments->operands[0];
        status = named_records_find(arguments->command, store, &named);
        if (status == EXIT_DONE)
            status = make_filter(arguments->command, &named, &filter);
    }
    if (status == EXIT_DONE) {
        const clump_store_status written = clump_store_export(store, &filter, write_bytes, NULL);
        /* What stops it is a failed write, which main reports. */
        if (written != CLUMP_STORE_OK && written != CLUMP_STORE_STOPPED)
            status = error_store(arguments->command, store, written);
    }
    named_records_free(&named);
    clump_store_close(store);
    return status;
}

const command_entry command_data_export = {
    .name = "data export",
    .operands = "[NAME]",
    .summary = "Write samples with their sources as CSV to standard output",
    .text =
        "NAME is a platform, application, source or quantity; without it everything is written.",
    .examples = "clumpmodel data export > samples.csv\n"
                "clumpmodel data export e5000-clump\n"
                "clumpmodel data export --db lab.db > lab.csv",
    .most_operands = 1,
    .run = run,
};
