/* SPDX-License-Identifier: GPL-3.0-or-later */
/** The columns of `data export`, which `import` reads, in order: as C calls them, and as the line of names does. Internal to data/. */
#ifndef CLUMP_DATA_STORE_EXPORT_COLUMNS_H
#define CLUMP_DATA_STORE_EXPORT_COLUMNS_H

/* clang-format off */
#define CLUMP_EXPORT_COLUMNS(COLUMN)                                                              \
    COLUMN(PLATFORM, platform) COLUMN(APPLICATION, application) COLUMN(TRANSPORT, transport)      \
    COLUMN(VARIANT, variant) COLUMN(QUANTITY, quantity) COLUMN(STATISTIC, statistic)              \
    COLUMN(BENCHMARK, benchmark) COLUMN(WINDOW, window) COLUMN(PROCESSES, processes)              \
    COLUMN(RUN, run) COLUMN(ORDINAL, ordinal) COLUMN(SIZE, size_bytes) COLUMN(VALUE, value)       \
    COLUMN(ITERATIONS, iterations) COLUMN(DELAY, delay_us) COLUMN(HALF_WIDTH, half_width)         \
    COLUMN(STD_DEV, std_dev) COLUMN(UNIT, unit) COLUMN(DOUBTFUL, doubtful) COLUMN(NOTE, note)     \
    COLUMN(REFERENCE, reference) COLUMN(SOURCE, source) COLUMN(KIND, source_kind)                 \
    COLUMN(SOURCE_TITLE, source_title) COLUMN(TABLE, source_table)                                \
    COLUMN(SECTION, source_section) COLUMN(PAGE, source_page) COLUMN(FILE_NAME, source_file)      \
    COLUMN(SHA256, source_sha256) COLUMN(TOOL, source_tool)                                       \
    COLUMN(TOOL_VERSION, source_tool_version) COLUMN(COMMAND, source_command)                     \
    COLUMN(SOURCE_NOTE, source_note) COLUMN(NODES, platform_nodes)                                \
    COLUMN(PROCESSORS, platform_processors) COLUMN(NICS, platform_nics)                           \
    COLUMN(MAPPING, platform_mapping) COLUMN(COUNTERPART, platform_counterpart)                   \
    COLUMN(TITLE, platform_title) COLUMN(PART_OF, platform_part_of)                               \
    COLUMN(PLATFORM_NOTE, platform_note) COLUMN(PLATFORM_SOURCE, platform_source)                 \
    COLUMN(APPLICATION_TITLE, application_title) COLUMN(STYLE, application_style)                 \
    COLUMN(APPLICATION_NOTE, application_note) COLUMN(APPLICATION_SOURCE, application_source)
/* clang-format on */

#endif
