/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command.h"
#include "cli/output/errors.h"
#include "cli/output/output.h"
#include "exploring/recommend_answer.h"
#include "model/result.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const arrangement_names[CLUMP_RECOMMEND_ARRANGEMENTS] = {"pooled", "limited",
                                                                            "static"};

typedef struct report {
    const clump_recommend_question *question;
    const clump_recommend_answer *answer;
} report;

/* ---- for programs: one row an option */

enum {
    NICS,
    ARRANGEMENT,
    MAX_NICS,
    SLOWDOWN,
    ENOUGH,
    SAVED,
    INDEPENDENT,
    CORRELATED,
    SCHEDULED,
    NIC_UTILIZATION,
    PRICE,
    WORK_PRICE,
    COLUMN_COUNT
};

static const table_column columns[COLUMN_COUNT] = {
    [NICS] = {.key = "nics"},
    [ARRANGEMENT] = {.key = "arrangement"},
    [MAX_NICS] = {.key = "max_nics_per_processor"},
    [SLOWDOWN] = {.key = "slowdown"},
    [ENOUGH] = {.key = "enough"},
    [SAVED] = {.key = "saved_by_each_nic"},
    [INDEPENDENT] = {.key = "independent"},
    [CORRELATED] = {.key = "correlated"},
    [SCHEDULED] = {.key = "scheduled"},
    [NIC_UTILIZATION] = {.key = "nic_utilization"},
    [PRICE] = {.key = "price"},
    [WORK_PRICE] = {.key = "price_per_now_machine"},
};

static void set_cell(const void *context, size_t row, size_t column, table_cell *cell)
{
    const report *r = context;
    const clump_recommend_option *o = &r->answer->options[row];
    const double reals[COLUMN_COUNT] = {
        [SLOWDOWN] = o->slowdown,
        [SAVED] = o->saved,
        [INDEPENDENT] = o->independent,
        [CORRELATED] = o->correlated,
        [SCHEDULED] = o->scheduled,
        [NIC_UTILIZATION] = o->nic_utilization,
        [PRICE] = o->price,
        [WORK_PRICE] = o->work_price,
    };
    switch (column) {
    case NICS:
        cell_size(cell, o->nics);
        break;
    case ARRANGEMENT:
        cell_text(cell, arrangement_names[o->arrangement]);
        break;
    case MAX_NICS:
        if (o->arrangement == CLUMP_RECOMMEND_LIMITED)
            cell_real(cell, r->question->max_nics_per_processor);
        break;
    case ENOUGH:
        cell_truth(cell, o->enough);
        break;
    default:
        cell_real(cell, reals[column]);
    }
}

static void set_count(output_field *field, const char *key, size_t count)
{
    field->key = key;
    if (count > 0)
        cell_size(&field->value, count);
}

static int print_for_programs(const command_invocation *invocation, const report *r)
{
    static const char *const enough[] = {"enough_pooled", "enough_limited", "enough_static"};
    static const char *const least[] = {"least_pooled", "least_limited", "least_static"};
    const clump_recommend_answer *a = r->answer;
    output_field fields[16];
    size_t n = 0;
    memset(fields, 0, sizeof fields);
    set_count(&fields[n++], "recommended_nics",
              a->options[a->chosen].enough ? a->options[a->chosen].nics : 0);
    fields[n].key = "max_slowdown";
    cell_real(&fields[n++].value, r->question->limit);
    for (size_t k = 0; k < CLUMP_RECOMMEND_ARRANGEMENTS; k++) {
        set_count(&fields[n++], enough[k], a->enough[k]);
        set_count(&fields[n++], least[k], a->least[k].nics);
    }
    fields[n].key = "least_pooled_real";
    cell_real(&fields[n++].value, a->least[CLUMP_RECOMMEND_POOLED].real);
    set_count(&fields[n++], "least_correlated", a->least_correlated);
    fields[n].key = "holds_up_to_utilization";
    cell_real(&fields[n++].value, a->holds_up_to);
    fields[n].key = "slowdown_per_utilization";
    cell_real(&fields[n++].value, a->slope);
    if (r->question->priced)
        set_count(&fields[n++], "cheapest_nics", a->options[a->cheapest].nics);
    const table_rows rows = {.key = "results",
                             .columns = columns,
                             .column_count = COLUMN_COUNT,
                             .row_count = a->count,
                             .cell = set_cell,
                             .context = r};
    return output_print(invocation->format, &rows, fields, n);
}

/* ---- for eyes: one row a number of NICs */

enum { T_NICS, T_POOLED, T_LIMITED, T_STATIC, T_SPAN, T_SAVED, T_PRICE, T_WORK_PRICE, T_COUNT };

/* "1.0019 *" where it is enough. */
static void show_slowdown(const clump_recommend_option *o, table_cell *cell)
{
    snprintf(cell->buffer, sizeof cell->buffer, "%.4f %c", o->slowdown, o->enough ? '*' : ' ');
    cell_text(cell, cell->buffer);
}

static void set_table_cell(const void *context, size_t row, size_t column, table_cell *cell)
{
    const report *r = context;
    const clump_recommend_option *options = &r->answer->options[row * CLUMP_RECOMMEND_ARRANGEMENTS];
    const clump_recommend_option *o = &options[r->answer->verdict];
    switch (column) {
    case T_NICS:
        cell_size(cell, o->nics);
        break;
    case T_POOLED:
    case T_LIMITED:
    case T_STATIC:
        show_slowdown(&options[column - T_POOLED], cell);
        break;
    case T_SPAN:
        snprintf(cell->buffer, sizeof cell->buffer, "%.3f to %.3f", o->scheduled, o->correlated);
        cell_text(cell, cell->buffer);
        break;
    case T_SAVED:
        cell_real(cell, o->saved);
        break;
    default:
        snprintf(cell->buffer, sizeof cell->buffer, "%.2f",
                 column == T_PRICE ? o->price : o->work_price);
        cell_text(cell, cell->buffer);
    }
}

static int print_table(const report *r)
{
    char limited[48];
    snprintf(limited, sizeof limited, "At most %.3g each", r->question->max_nics_per_processor);
    const table_column shown[T_COUNT] = {
        [T_NICS] = {.heading = "NICs"},
        [T_POOLED] = {.heading = "Pooled"},
        [T_LIMITED] = {.heading = limited},
        [T_STATIC] = {.heading = "Static"},
        [T_SPAN] = {.heading = "Scheduled to correlated"},
        [T_SAVED] = {.heading = "Each NIC saves", .notation = NUMBER_PERCENT},
        [T_PRICE] = {.heading = "Node price"},
        [T_WORK_PRICE] = {.heading = "Per NOW machine"},
    };
    const table_rows rows = {.columns = shown,
                             .column_count = r->question->priced ? T_COUNT : T_PRICE,
                             .row_count = r->question->nic_counts,
                             .cell = set_table_cell,
                             .context = r};
    return table_print(&rows);
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

/* How the NICs must be used for it. */
static const char *describe(const report *r, size_t arrangement, char text[64])
{
    static const char *const others[] = {"every processor uses all of them", "",
                                         "each processor is tied to one"};
    if (arrangement != CLUMP_RECOMMEND_LIMITED)
        return others[arrangement];
    snprintf(text, 64, "a processor keeps at most %.3g busy", r->question->max_nics_per_processor);
    return text;
}

/* The answer in one line. */
static void print_verdict(const report *r)
{
    const clump_recommend_answer *a = r->answer;
    const clump_recommend_option *o = &a->options[a->chosen];
    char text[64];
    if (o->enough)
        printf("%zu NIC%s %s enough if %s: slowdown %.4f, allowed %.6g.\n\n", o->nics,
               plural(o->nics), o->nics == 1 ? "is" : "are", describe(r, o->arrangement, text),
               o->slowdown, r->question->limit);
    else
        printf("None of these is enough: %zu NIC%s leave a slowdown of %.4f, allowed %.6g.\n\n",
               o->nics, plural(o->nics), o->slowdown, r->question->limit);
}

/* The least of all numbers, by inversion. */
static void print_least(const report *r)
{
    const clump_recommend_answer *a = r->answer;
    for (size_t k = 0; k < CLUMP_RECOMMEND_ARRANGEMENTS; k++) {
        char text[64];
        if (a->least[k].nics > 0)
            printf("%s %zu if %s", k == 0 ? "  Least NICs:" : ",\n   ", a->least[k].nics,
                   describe(r, k, text));
        else
            printf("%s no number if %s", k == 0 ? "  Least NICs:" : ",\n   ", describe(r, k, text));
        if (isfinite(a->least[k].real))
            printf(" (%.3f in the real numbers)", a->least[k].real);
    }
    puts(".");
}

static void print_trust(const report *r)
{
    const clump_recommend_answer *a = r->answer;
    const clump_recommend_option *o = &a->options[a->chosen];
    char demand[CLUMP_DEMAND_NAME_SIZE];
    clump_demand_name(r->question->demand, r->question->gang_size, demand);
    puts("\nHow far to trust it");
    print_least(r);
    printf("  Utilization %.4g: 0.01 more ", r->question->utilization);
    if (0.01 * fabs(a->slope) < 0.5e-4)
        fputs("leaves the slowdown as it is.", stdout);
    else
        printf("%s the slowdown by %.4f.", a->slope < 0 ? "lowers" : "raises",
               0.01 * fabs(a->slope));
    if (o->enough && a->holds_up_to < 1)
        printf(" %zu NIC%s %s enough up to %.4f.", o->nics, plural(o->nics),
               o->nics == 1 ? "is" : "are", a->holds_up_to);
    else if (o->enough)
        printf(" Even at 1 %zu would be enough.", o->nics);
    printf("\n  Demand is taken as %s. The best schedule gives %.4f; if all processors\n"
           "    communicate at once (correlated) it is %.4f",
           demand, o->scheduled, o->correlated);
    if (a->least_correlated > 0)
        printf(", and %zu NIC%s would be needed.\n", a->least_correlated,
               plural(a->least_correlated));
    else
        puts(", and no number of NICs is enough.");
    puts("  Processors are equal, and nothing but the NICs is a bottleneck. How far the "
         "model is off\n"
         "    where machines were measured, 'clumpmodel validate' tells.");
}

static void print_prices(const report *r)
{
    const clump_recommend_answer *a = r->answer;
    const clump_recommend_option *cheapest = &a->options[a->cheapest];
    if (r->question->priced)
        printf("\nThe work of one NOW machine is cheapest with %zu NIC%s: %.2f.\n", cheapest->nics,
               plural(cheapest->nics), cheapest->work_price);
}

static int run(const command_invocation *invocation)
{
    clump_recommend_question question;
    clump_recommend_answer answer = {.options = NULL};
    const report r = {&question, &answer};
    int status = clump_recommend_question_read(&invocation->arguments, &question);
    if (status == EXIT_DONE)
        status = clump_recommend_answer_make(&invocation->arguments, &question, &answer);
    if (status == EXIT_DONE && invocation->format != FORMAT_TABLE)
        status = print_for_programs(invocation, &r);
    else if (status == EXIT_DONE) {
        print_verdict(&r);
        status = print_table(&r);
        if (status == EXIT_DONE) {
            print_prices(&r);
            print_trust(&r);
        }
    }
    clump_recommend_answer_free(&answer);
    clump_recommend_question_free(&question);
    return status;
}

const command_entry command_recommend = {
    .name = "recommend",
    .summary = "How many NICs a node needs, and what each further one buys",
    .text =
        "Compares NICs that all processors share (pooled), a pool of which one processor keeps\n"
        "at most M busy, and processors tied to one NIC each (static); tells which number is\n"
        "enough, what each further NIC saves, and how far the answer can be trusted.",
    .examples = "clumpmodel recommend --processors 8 --utilization 0.48\n"
                "clumpmodel recommend -P 8 -N 1,2,4,8 -U 0.48 --max-slowdown 1.1 --nic-price 1500\n"
                "clumpmodel recommend -P 64 -U 0.1 --domains 2 --far 0.7 --format json",
    .options = clump_recommend_options,
    .option_count = RECOMMEND_OPTION_COUNT,
    .run = run,
};
