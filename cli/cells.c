/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/cells.h"

#include <langinfo.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void clump_cli_cell_text(clump_cli_cell *cell, const char *text)
{
    cell->kind = text != NULL && *text != '\0' ? CLUMP_CLI_CELL_TEXT : CLUMP_CLI_CELL_NONE;
    cell->text = text;
}

void clump_cli_cell_real(clump_cli_cell *cell, double real)
{
    cell->kind = isfinite(real) ? CLUMP_CLI_CELL_REAL : CLUMP_CLI_CELL_NONE;
    cell->real = real == 0 ? 0 : real; /* no -0 */
}

void clump_cli_cell_whole(clump_cli_cell *cell, int64_t whole)
{
    cell->kind = CLUMP_CLI_CELL_WHOLE;
    cell->whole = whole;
}

void clump_cli_cell_size(clump_cli_cell *cell, size_t size)
{
    clump_cli_cell_whole(cell, size > INT64_MAX ? INT64_MAX : (int64_t)size);
}

void clump_cli_cell_truth(clump_cli_cell *cell, bool truth)
{
    cell->kind = CLUMP_CLI_CELL_TRUTH;
    cell->whole = truth;
}

static void show_real(double value, clump_cli_notation notation, char *text, size_t size)
{
    switch (notation) {
    case CLUMP_CLI_RATIO:
        (void)snprintf(text, size, fabs(value) < 1e6 ? "%.4f" : "%.6g", value);
        break;
    case CLUMP_CLI_PERCENT:
        (void)snprintf(text, size, fabs(value) < 1e6 ? "%.1f%%" : "%.4g%%", 100 * value);
        break;
    case CLUMP_CLI_SIGNED:
        (void)snprintf(text, size, fabs(value) < 1e6 ? "%+.1f%%" : "%+.4g%%", 100 * value);
        break;
    case CLUMP_CLI_EXACT:
        (void)snprintf(text, size, "%.9g", value);
        break;
    case CLUMP_CLI_GENERAL:
        (void)snprintf(text, size, "%.4g", value);
        break;
    }
}

const char *clump_cli_cell_show(const clump_cli_cell *cell, clump_cli_notation notation,
                                char text[CLUMP_CLI_SHOWN_SIZE])
{
    switch (cell->kind) {
    case CLUMP_CLI_CELL_TEXT:
        return cell->text;
    case CLUMP_CLI_CELL_REAL:
        show_real(cell->real, notation, text, CLUMP_CLI_SHOWN_SIZE);
        return text;
    case CLUMP_CLI_CELL_WHOLE:
        (void)snprintf(text, CLUMP_CLI_SHOWN_SIZE, "%lld", (long long)cell->whole);
        return text;
    case CLUMP_CLI_CELL_TRUTH:
        return cell->whole ? "yes" : "no";
    case CLUMP_CLI_CELL_NONE:
        break;
    }
    return "-";
}

const char *clump_cli_plus_minus(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0 ? "\xC2\xB1" : "+-";
}
