/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/topology/topology_tables.h"

#include "cli/output/errors.h"
#include "cli/output/file_output.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMN = 226, STRAIGHT = 64, ROW = 44, BOX = 118, HIGH = 32, MARGIN = 16 };

/* Where everything is. */
typedef struct layout {
    double *y; /* middle of each part; NAN: not drawn */
    size_t *column;
    double *load; /* of each lane, bytes a second */
    double width, height, most;
} layout;

static bool is_drawn(const clump_topology *t, size_t i)
{
    const clump_part *p = &t->parts[i];
    return p->kind != CLUMP_PART_CORE || i == 0 || t->parts[i - 1].kind != CLUMP_PART_CORE ||
           t->parts[i - 1].parent != p->parent;
}

/* Leaves one below the other, all else in the middle of what it leads to. Parents come first. */
static void place(const clump_topology *t, layout *l)
{
    double row = 0;
    size_t columns = 0;
    for (size_t i = 0; i < t->part_count; i++)
        l->column[i] = t->parts[i].parent == CLUMP_NO_PART ? 0 : l->column[t->parts[i].parent] + 1;
    for (size_t i = 0; i < t->part_count; i++) {
        bool leaf = true;
        for (size_t k = i + 1; k < t->part_count && leaf; k++)
            leaf = t->parts[k].parent != i;
        l->y[i] = leaf && is_drawn(t, i) ? MARGIN + ROW * (row++ + 0.5) : NAN;
        columns = l->column[i] > columns ? l->column[i] : columns;
    }
    for (size_t i = t->part_count; i-- > 0;) {
        double low = INFINITY, high = -INFINITY;
        if (!isnan(l->y[i]))
            continue;
        for (size_t k = i + 1; k < t->part_count; k++)
            if (t->parts[k].parent == i && !isnan(l->y[k])) {
                low = fmin(low, l->y[k]);
                high = fmax(high, l->y[k]);
            }
        if (low <= high)
            l->y[i] = (low + high) / 2;
    }
    l->width = 2 * MARGIN + (double)columns * COLUMN + BOX + 80;
    l->height = 2 * MARGIN + ROW * row + 24;
}

static void add_loads(const topology_answer *a, layout *l)
{
    const clump_assignment *best = &a->assignments[CLUMP_ASSIGN_BEST];
    size_t lanes[CLUMP_MOST_LANES];
    for (size_t p = 0; p < a->topology.processor_count; p++) {
        const size_t n = clump_assignment_route(&a->topology, &a->rules, p, best->nics[p], lanes);
        for (size_t i = 0; i < n && isfinite(best->rates[p]); i++) {
            l->load[lanes[i]] += best->rates[p];
            l->most = fmax(l->most, l->load[lanes[i]]);
        }
    }
}

static void escape_xml(const char *text, FILE *file)
{
    for (; *text != '\0'; text++)
        switch (*text) {
        case '<':
            fputs("&lt;", file);
            break;
        case '>':
            fputs("&gt;", file);
            break;
        case '&':
            fputs("&amp;", file);
            break;
        case '"':
            fputs("&quot;", file);
            break;
        default:
            fputc(*text, file);
        }
}

static double left_of(const layout *l, size_t i)
{
    return MARGIN + (double)l->column[i] * COLUMN;
}

static size_t cores_from(const clump_topology *t, size_t i)
{
    size_t n = 1;
    while (i + n < t->part_count && !is_drawn(t, i + n))
        n++;
    return n;
}

/* What goes over a link when all send: of all cores that are drawn as one, to be together. */
static double load_of(const clump_topology *t, const layout *l, size_t i)
{
    double load = 0;
    for (size_t k = i; k < i + (t->parts[i].kind == CLUMP_PART_CORE ? cores_from(t, i) : 1); k++)
        load += fmax(l->load[2 * k], l->load[2 * k + 1]);
    return load;
}

/* And to the network. */
static double port_load(const clump_topology *t, const layout *l, size_t i)
{
    for (size_t k = 0; k < t->nic_count; k++)
        if (t->nics[k] == i)
            return l->load[2 * t->part_count + k];
    return 0;
}

static void draw_link(const topology_answer *a, const layout *l, size_t i, FILE *file)
{
    const clump_part *p = &a->topology.parts[i];
    const double load = load_of(&a->topology, l, i);
    const double x = left_of(l, p->parent) + BOX, y = l->y[p->parent], to = left_of(l, i);
    const bool full = load > 0 && load >= p->link * (1 - 1e-9);
    fprintf(file,
            "<path class=\"link%s\" stroke-width=\"%.1f\" d=\"M%.0f %.1fC%.0f %.1f %.0f %.1f %.0f "
            "%.1fH%.0f\"/>\n",
            full ? " full" : "", 1 + (l->most > 0 ? 7 * load / l->most : 0), x, y, x + 18, y,
            to - STRAIGHT - 18, l->y[i], to - STRAIGHT, l->y[i], to);
    if (isfinite(p->link))
        fprintf(file, "<text class=\"rate\" x=\"%.0f\" y=\"%.1f\">%.3g of %.3g</text>\n", to - 4,
                l->y[i] - 8, load / 1e9, p->link / 1e9);
}

static void draw_part(const topology_answer *a, const layout *l, size_t i, FILE *file)
{
    static const char *const classes[] = {"plain",  "socket", "bridge", "bridge",
                                          "bridge", "sender", "sender", "nic"};
    const clump_topology *t = &a->topology;
    const clump_part *p = &t->parts[i];
    char text[CLUMP_PART_NAME * 2];
    const double x = left_of(l, i), y = l->y[i];
    topology_part_text(p, text);
    if (p->kind == CLUMP_PART_CORE && cores_from(t, i) > 1)
        snprintf(text, sizeof text, "%zu cores", cores_from(t, i));
    else if (strlen(text) > 18)
        snprintf(text, sizeof text, "%.40s", p->address);
    const double sent = p->kind == CLUMP_PART_NIC ? port_load(t, l, i) : 0;
    const bool full = sent > 0 && sent >= p->port * (1 - 1e-9);
    fprintf(file,
            "<rect class=\"%s%s%s\" x=\"%.0f\" y=\"%.1f\" width=\"%d\" height=\"%d\" rx=\"5\"/>\n",
            classes[p->kind], p->unused ? " unused" : "", full ? " full" : "", x, y - HIGH / 2.0,
            BOX, HIGH);
    fprintf(file, "<text class=\"name\" x=\"%.0f\" y=\"%.1f\">", x + BOX / 2.0, y + 4);
    escape_xml(text, file);
    fputs("</text>\n", file);
    if (p->kind == CLUMP_PART_NIC && isfinite(p->port))
        fprintf(file, "<text class=\"port\" x=\"%.0f\" y=\"%.1f\">%.3g of %.3g</text>\n",
                x + BOX + 6, y + 4, sent / 1e9, p->port / 1e9);
}

static void draw(const topology_answer *a, const layout *l, FILE *file)
{
    const clump_topology *t = &a->topology;
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 "
            "0 %.0f "
            "%.0f\" role=\"img\">\n<title>",
            l->width, l->height, l->width, l->height);
    escape_xml(t->format, file);
    fprintf(file, ": %zu %s, %zu NICs</title>\n", t->processor_count, t->gpus ? "GPUs" : "cores",
            t->nic_count);
    fputs(
        "<style>\n"
        "svg { background: #fff; font: 12px system-ui, sans-serif; --ink: #1a1a1a; --quiet: "
        "#5b6168; "
        "--line: #8a9097; --card: #f1f3f5; }\n"
        "@media (prefers-color-scheme: dark) { svg { background: #14171a; --ink: #e8e8e8; --quiet: "
        "#a8adb3; --line: #6b737c; --card: #262c33; } }\n"
        "text { fill: var(--ink); } .name { text-anchor: middle; } .rate { text-anchor: end; "
        "font-size: "
        "10px; fill: var(--quiet); } .port { font-size: 10px; fill: var(--quiet); }\n"
        "rect { fill: var(--card); stroke: var(--line); } .sender { stroke: #0072b2; stroke-width: "
        "2; } "
        ".nic { stroke: #009e73; stroke-width: 2; } .unused { stroke-dasharray: 4; opacity: .5; }\n"
        ".link { fill: none; stroke: var(--line); } .link.full, .nic.full { stroke: #d55e00; }\n"
        "</style>\n",
        file);
    for (size_t i = 1; i < t->part_count; i++)
        if (!isnan(l->y[i]))
            draw_link(a, l, i, file);
    for (size_t i = 0; i < t->part_count; i++)
        if (!isnan(l->y[i]))
            draw_part(a, l, i, file);
    fprintf(file,
            "<text class=\"rate\" style=\"text-anchor:start\" x=\"%d\" y=\"%.0f\">GB/s when all "
            "send by "
            "the best assignment, of what a link carries; orange: full</text>\n</svg>\n",
            MARGIN, l->height - 8);
}

int topology_draw(const char *command, const char *file, const topology_answer *a)
{
    const size_t n = a->topology.part_count;
    output_file output;
    layout l = {.y = malloc(n * sizeof(double)),
                .column = malloc(n * sizeof(size_t)),
                .load = calloc(clump_assignment_lane_count(&a->topology), sizeof(double))};
    int status = EXIT_DONE;
    if (l.y == NULL || l.column == NULL || l.load == NULL)
        status = error_memory(command);
    if (status == EXIT_DONE)
        status = file_begin(command, file, &output);
    if (status == EXIT_DONE) {
        place(&a->topology, &l);
        add_loads(a, &l);
        draw(a, &l, output.file);
        status = file_commit(&output);
    }
    free(l.y);
    free(l.column);
    free(l.load);
    return status;
}
