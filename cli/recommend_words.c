/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The answer of `clumpmodel recommend` in words. */
#include "cli/recommend_parts.h"

#include "cli/output/paragraph.h"
#include "model/model_error.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Text that is collected, and printed in lines of at most 80 columns. */
typedef struct paragraph {
    char text[1200];
    size_t used;
} paragraph;

__attribute__((format(printf, 2, 3))) static void say(paragraph *p, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    const int length = vsnprintf(p->text + p->used, sizeof p->text - p->used, format, values);
    va_end(values);
    if (length > 0)
        p->used += (size_t)length < sizeof p->text - p->used ? (size_t)length
                                                             : sizeof p->text - p->used - 1;
}

/* "1 NIC is", "4 NICs are" */
static void say_count(paragraph *p, size_t count)
{
    say(p, "%zu NIC%s %s", count, count == 1 ? "" : "s", count == 1 ? "is" : "are");
}

/* How the NICs must be used for it. */
static const char *describe(const recommend_report *r, size_t arrangement, char text[64])
{
    static const char *const others[] = {"every processor uses all of them", "",
                                         "each processor is tied to one"};
    if (arrangement != CLUMP_RECOMMEND_LIMITED)
        return others[arrangement];
    snprintf(text, 64, "a processor keeps at most %.3g busy",
             r->question->node.max_nics_per_processor);
    return text;
}

/* What is assumed of the processors: how they use NICs, and when they communicate. */
static void say_assumption(paragraph *p, const recommend_report *r, size_t arrangement)
{
    char how[64];
    say(p, " if %s", describe(r, arrangement, how));
    if (r->question->recorded != NULL) /* its calls say when they communicate */
        return;
    switch (r->question->load.demand) {
    case CLUMP_DEMAND_CORRELATED:
        say(p, " and all communicate at once");
        break;
    case CLUMP_DEMAND_SCHEDULED:
        say(p, " and they communicate by the best schedule");
        break;
    case CLUMP_DEMAND_GANG:
        say(p, " and groups of %.4g communicate at once", r->question->load.gang_size);
        break;
    case CLUMP_DEMAND_INDEPENDENT:
        say(p, ", at times of its own");
        break;
    }
}

/* What is enough for whoever knows nothing of the program. */
static void say_cautious(paragraph *p, const recommend_report *r)
{
    const clump_recommend_answer *a = r->answer;
    const char *worst = r->question->load.demand == CLUMP_DEMAND_CORRELATED
                            ? "each uses only one"
                            : "each uses only one and all communicate at once";
    if (a->cautious_refused)
        say(p, ".");
    else if (a->cautious_enough > 0)
        say(p, "; %zu are, even if %s.", a->cautious_enough, worst);
    else if (a->cautious > 0)
        say(p, "; %zu would be, if %s.", a->cautious, worst);
    else
        say(p, "; no number up to %zu is, if %s.", a->most, worst);
}

/* A slowdown that is above the limit, with as many digits as show it. */
static void say_above(paragraph *p, double slowdown, double limit)
{
    char text[64];
    for (int digits = 4; digits <= 15; digits++) {
        snprintf(text, sizeof text, "%.*f", digits, slowdown);
        if (strtod(text, NULL) > limit)
            break;
    }
    say(p, "%s", text);
}

/* Where none is enough: what a buyer can do. */
static void say_instead(paragraph *p, const recommend_report *r)
{
    const clump_recommend_answer *a = r->answer;
    const clump_recommend_option *best = &a->options[a->chosen];
    const double close = 1.05;
    for (size_t i = a->verdict; i < a->count; i += CLUMP_RECOMMEND_ARRANGEMENTS) {
        const clump_recommend_option *o = &a->options[i];
        if (o->nics >= best->nics)
            break;
        if (!(o->slowdown <= close * best->slowdown))
            continue;
        say(p, " %zu NIC%s within %.1f%% of that.", o->nics, o->nics == 1 ? " comes" : "s come",
            ceil(1000 * (o->slowdown / best->slowdown - 1)) / 10);
        break;
    }
    if (!(r->question->limit > 1) && !(r->question->limit < 1)) /* as it is by default */
        say(p, " --max-slowdown 1.1 would allow 10%% more time.");
}

/* Whoever takes the share that a profile of shared NICs shows for a utilization. */
static void say_measured(paragraph *p, const recommend_report *r)
{
    const clump_recommend_question *question = r->question;
    const double U = *question->load.utilizations;
    const double wanted = U * (double)question->node.processors;
    const clump_recommend_answer *a = r->answer;
    if (question->recorded != NULL || r->application != NULL || question->nic_counts == 0 ||
        !(wanted > (double)a->nics[a->nic_counts - 1]))
        return;
    say(p, " At this utilization they would fill %.3g NICs", wanted);
    if (r->nic_speed > 0)
        say(p, ", %.3g Tb/s", wanted * r->nic_speed * 8 / 1e6);
    say(p,
        ": if %.3g%% is the share of MPI that was measured behind the NICs of today's nodes, ask "
        "with --mpi-share %.3g%% --measured-nics N.",
        100 * U, 100 * U);
}

void recommend_print_verdict(const recommend_report *r)
{
    const clump_recommend_answer *a = r->answer;
    const clump_recommend_question *question = r->question;
    const clump_recommend_option *o = &a->options[a->chosen];
    const size_t least = a->least[a->verdict].nics;
    paragraph p = {.used = 0};
    if (question->recorded != NULL && !(question->load.coupling.remote_fraction > 0)) {
        say(&p,
            "NICs make no difference: on nodes of %zu processors no message of this recording "
            "leaves "
            "its node. Record more ranks, or ask for smaller nodes (--processors).",
            question->node.processors);
    } else if (o->enough && a->cautious_enough == o->nics) {
        say_count(&p, o->nics);
        say(&p, " enough%s (slowdown %.4f, allowed %.6g).",
            question->node.processors > 1
                ? ", even if each processor uses only one and all communicate at once"
                : "",
            question->node.processors > 1 ? a->cautious_slowdown : o->slowdown, question->limit);
    } else if (o->enough) {
        say_count(&p, o->nics);
        say(&p, " enough (slowdown %.4f, allowed %.6g)", o->slowdown, question->limit);
        say_assumption(&p, r, o->arrangement);
        say_cautious(&p, r);
    } else {
        if (question->nic_counts > 0)
            say(&p, "None of these is enough: ");
        else
            say(&p, "No number up to %zu%s is enough: ", a->most,
                a->least[a->verdict].tried < a->most ? " that was tried" : "");
        say(&p, "%zu NIC%s leave%s a slowdown of ", o->nics, o->nics == 1 ? "" : "s",
            o->nics == 1 ? "s" : "");
        say_above(&p, o->slowdown, question->limit);
        say(&p, ", allowed %.6g,", question->limit);
        say_assumption(&p, r, o->arrangement);
        if (least > 0)
            say(&p, "; %zu would be enough", least);
        say(&p, ".");
        say_instead(&p, r);
        say_measured(&p, r);
    }
    paragraph_print(p.text, 0, 0, 80);
    putchar('\n');
}

/* Is the least number of this arrangement unknown? */
static bool is_refused(const clump_recommend_answer *a, size_t arrangement)
{
    return arrangement == CLUMP_RECOMMEND_TIED && a->tied_refused.message[0] != 0 &&
           a->least[arrangement].nics == 0;
}

/* Where a search that is sure of the least one would take too long. */
static void say_tried(paragraph *p, const clump_recommend_answer *a)
{
    size_t all = SIZE_MAX;
    for (size_t k = 0; k < CLUMP_RECOMMEND_ARRANGEMENTS; k++)
        if (!is_refused(a, k) &&
            (a->least[k].nics == 0 ? a->most : a->least[k].nics) > a->least[k].tried)
            all = a->least[k].tried < all ? a->least[k].tried : all;
    if (!a->can_rise)
        return;
    say(p, " More NICs can make it slower here, so that ");
    if (a->unit > 1)
        say(p, "multiples of %zu", a->unit);
    else
        say(p, "numbers");
    say(p, " were tried one by one");
    if (all < SIZE_MAX)
        say(p, ", from %zu on only some", all);
    say(p, ".");
}

/* Both pooled arrangements are the same where calls say how many NICs a processor keeps busy. */
static bool is_told(const recommend_report *r, size_t arrangement)
{
    return !is_refused(r->answer, arrangement) &&
           !(r->question->recorded != NULL && !r->question->limited &&
             arrangement == CLUMP_RECOMMEND_LIMITED);
}

/* The least of all numbers, by inversion. */
static void print_least(const recommend_report *r)
{
    const clump_recommend_answer *a = r->answer;
    paragraph p = {.used = 0};
    say(&p, "Least NICs");
    for (size_t k = 0; k < CLUMP_RECOMMEND_ARRANGEMENTS; k++)
        if (a->least[k].nics == 0 && is_told(r, k)) {
            say(&p, " up to %zu", a->most);
            break;
        }
    say(&p, ":");
    for (size_t k = 0; k < CLUMP_RECOMMEND_ARRANGEMENTS; k++) {
        char text[64];
        if (!is_told(r, k))
            continue;
        say(&p, k > 0 ? ", " : " ");
        if (a->least[k].nics > 0)
            say(&p, "%zu%s if %s", a->least[k].nics,
                a->least[k].nics > a->least[k].tried ? " or fewer" : "", describe(r, k, text));
        else
            say(&p, "no number if %s", describe(r, k, text));
        if (a->least[k].but_not > 0)
            say(&p, " (but not %zu)", a->least[k].but_not);
        if (a->least[k].nics > 0 && isfinite(a->least[k].real))
            say(&p, " (the limit is just met with %.3f)", a->least[k].real);
    }
    say(&p, ".");
    say_tried(&p, a);
    paragraph_item("%s", p.text);
}

const char *recommend_ranges(const clump_recommend_answer *a, char *text)
{
    size_t used = 0;
    text[0] = 0;
    for (size_t i = 0; i < a->ranges; i++)
        used += (size_t)snprintf(text + used, RECOMMEND_RANGES - used, "%s%.4g to %.4g",
                                 i == 0              ? ""
                                 : i + 1 < a->ranges ? ", "
                                                     : " and ",
                                 a->within[2 * i], a->within[2 * i + 1]);
    return text;
}

/* What a step of the utilization changes. */
static void say_step(paragraph *p, double change, bool first, const char *step)
{
    const bool none = fabs(change) < 0.5e-4;
    const char *const what = first ? "the slowdown" : "it";
    if (isnan(change))
        return;
    say(p, first ? " 0.01 %s " : ", 0.01 %s ", step);
    if (none)
        say(p, "leaves %s as it is", what);
    else
        say(p, "%s %s by %.4f", change > 0 ? "raises" : "lowers", what, fabs(change));
}

static void print_utilization(const recommend_report *r)
{
    const clump_recommend_answer *a = r->answer;
    const clump_recommend_option *o = &a->options[a->chosen];
    paragraph p = {.used = 0};
    char ranges[RECOMMEND_RANGES];
    const double U = *r->question->load.utilizations, more = a->slowdown_more - o->slowdown,
                 less = a->slowdown_less - o->slowdown;
    /* Where X is a straight line one side tells the other. */
    const bool both = fabs(more + less) >= 0.1 * fmax(fabs(more), fabs(less));
    say(&p, "Utilization %.4g:", U);
    say_step(&p, more, true, "more");
    if (isnan(more) || (both && fmax(fabs(more), fabs(less)) >= 0.5e-4))
        say_step(&p, less, isnan(more), "less");
    say(&p, ".");
    if (o->enough && (a->ranges > 1 || (a->ranges == 1 && a->within[0] > 0))) {
        say(&p, " ");
        say_count(&p, o->nics);
        say(&p, " enough at utilizations of %s.", recommend_ranges(a, ranges));
    } else if (o->enough && U < 1) {
        say(&p, " ");
        say_count(&p, o->nics);
        if (a->holds_up_to < 1)
            say(&p, " enough up to a utilization of %.4f.", a->holds_up_to);
        else
            say(&p, " enough at any higher utilization as well.");
    } else if (a->ranges > 0 && a->within[1] > 0.5e-4) {
        say(&p, " ");
        say_count(&p, o->nics);
        say(&p, " enough at utilizations of %s.", recommend_ranges(a, ranges));
    }
    paragraph_item("%s", p.text);
}

static void print_demand(const recommend_report *r)
{
    const clump_recommend_answer *a = r->answer;
    const clump_recommend_option *o = &a->options[a->chosen];
    char demand[CLUMP_DEMAND_NAME_SIZE];
    const bool at_random = r->question->load.demand == CLUMP_DEMAND_INDEPENDENT;
    paragraph p = {.used = 0};
    clump_demand_name(r->question->load.demand, r->question->load.gang_size, demand);
    say(&p, "Demand is taken as %s. ", demand);
    if (isfinite(o->scheduled)) /* of processors that differ it may not be known */
        say(&p, "The best schedule gives %.4f; if", o->scheduled);
    else
        say(&p, "If");
    say(&p, " all processors communicate at once%s it is %.4f, and ",
        at_random ? ", as in collectives and after barriers (--demand correlated),"
                  : " (correlated)",
        o->correlated);
    if (a->least_correlated > 0)
        say(&p, "%zu NIC%s would be needed.", a->least_correlated,
            a->least_correlated == 1 ? "" : "s");
    else
        say(&p, "no number up to %zu is enough.", a->most);
    paragraph_item("%s", p.text);
}

/* What fewer cost, or more save: of two numbers of NICs more is known than of each beside a NOW. */
static void print_neighbour(const recommend_report *r)
{
    const clump_recommend_answer *a = r->answer;
    const clump_recommend_option *o = &a->options[a->chosen];
    const bool fewer = a->chosen >= CLUMP_RECOMMEND_ARRANGEMENTS;
    const size_t other =
        fewer ? a->chosen - CLUMP_RECOMMEND_ARRANGEMENTS : a->chosen + CLUMP_RECOMMEND_ARRANGEMENTS;
    double low, high;
    if (other >= a->count)
        return;
    const clump_recommend_option *n = &a->options[other];
    const clump_model_error *of = clump_model_error_of(CLUMP_CHANGE_OTHER_NIC);
    const double ratio = n->slowdown / o->slowdown;
    if (!isfinite(ratio) || !(fabs(ratio - 1) > 5e-4) ||
        clump_model_error_interval(of, ratio, NAN, NAN, CLUMP_MODEL_ERROR_LEVEL, &low, &high,
                                   NULL) != CLUMP_OK ||
        !isfinite(low))
        return;
    paragraph_item(
        "%zu NIC%s in place of %zu: %.4g times the time, 90%% between %.2f and %.2f, going by the "
        "%zu sets of runs that were made on the same nodes with other NICs, too.",
        n->nics, n->nics == 1 ? "" : "s", o->nics, ratio, low, high, of->datasets);
}

/* By which the interval goes: all are runs of the thesis (model/model_error.h). */
static const clump_model_error *judged_runs(const recommend_report *r)
{
    const clump_recommend_option *o = &r->answer->options[r->answer->chosen];
    const clump_node node = {.processors = r->question->node.processors,
                             .nics = o->nics,
                             .mapping = o->arrangement == CLUMP_RECOMMEND_TIED
                                            ? CLUMP_MAPPING_STATIC
                                            : CLUMP_MAPPING_POOLED};
    return clump_model_error_of(clump_change_of(&node, r->question->load.coupling.remote_fraction));
}

/* Of the recommendation, and of the next number that was tried if that may be enough only by chance. */
static void print_interval(const recommend_report *r)
{
    const clump_recommend_answer *a = r->answer;
    const clump_recommend_option *o = &a->options[a->chosen];
    const double limit = r->question->limit;
    size_t sure = 0;
    paragraph p = {.used = 0};
    if (!isfinite(o->low))
        return;
    const clump_model_error *judged = judged_runs(r);
    say(&p,
        "%zu NIC%s: 90%% between %.2f and %.2f, going by how wrong the model was in %zu runs (%zu "
        "data sets) on machines of 1998%s.",
        o->nics, o->nics == 1 ? "" : "s", o->low, o->high, judged->rows, judged->datasets,
        r->question->recorded != NULL ? ""
        : r->question->utilization_half_width > 0
            ? ", and by the interval of the utilization"
            : "; the utilization is taken to be exact (--half-width)");
    for (size_t i = a->verdict; i < a->count && o->enough && o->high > limit;
         i += CLUMP_RECOMMEND_ARRANGEMENTS)
        if (a->options[i].high <= limit && (sure == 0 || a->options[i].nics < sure))
            sure = a->options[i].nics;
    if (sure > 0)
        say(&p, " With %zu even the upper end is allowed.", sure);
    paragraph_item("%s", p.text);
}

void recommend_print_trust(const recommend_report *r)
{
    const clump_recommend_question *question = r->question;
    puts("\nHow far to trust it");
    print_interval(r);
    print_neighbour(r);
    print_least(r);
    if (r->answer->tied_refused.message[0] != 0)
        paragraph_item("Processors tied to one NIC each are not predicted for all numbers: %s.",
                       r->answer->tied_refused.message);
    if (question->recorded != NULL) {
        const clump_recorded *program = question->recorded->program;
        paragraph_item("Slowdowns are those of the recorded calls, played again message by "
                       "message: %.4g messages and computations, %.4g s on the NOW. Which message "
                       "waits for which, and what is computed meanwhile, is in them.",
                       program->operations, program->now_us / 1e6);
    } else {
        print_utilization(r);
        print_demand(r);
    }
    paragraph_item(
        "%sothing but the NICs%s is a bottleneck. How far the model is "
        "off where machines were measured, 'clumpmodel validate' tells.",
        question->recorded == NULL ? "Processors are equal, and n" : "N",
        clump_memory_is_station(&question->node.memory) ? " and memory, which they share," : "");
}

void recommend_print_beside(const recommend_report *r)
{
    const clump_recommend_question *question = r->question;
    const clump_recommend_option *cheapest = &r->answer->options[r->answer->cheapest];
    paragraph p = {.used = 0};
    if (question->nic_counts == 0 && question->node.processors > CLUMP_RECOMMEND_ALL_UP_TO)
        printf("\nThe answer is of all numbers; --nics 1:%zu shows them.\n",
               question->node.processors);
    if (!question->priced)
        return;
    say(&p, "The work of one NOW machine is cheapest with %zu NIC%s%s: %.2f", cheapest->nics,
        cheapest->nics == 1 ? "" : "s", question->nic_counts == 0 ? " of the numbers above" : "",
        cheapest->work_price);
    say(&p, question->node_price > 0
                ? " for what a processor with a NIC of its own does."
                : ". But for its NICs the node is taken to cost nothing (--node-price).");
    putchar('\n');
    paragraph_print(p.text, 0, 0, 80);
}
