/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/number.h"
#include "data/store/handle.h"
#include "data/store/recorded_facts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char header[] =
    "platform,application,transport,variant,quantity,statistic,benchmark,window,processes,"
    "run,ordinal,size_bytes,value,iterations,delay_us,half_width,"
    "std_dev,unit,doubtful,note,reference,source,source_kind,source_title,source_table,"
    "source_section,source_page,source_file,source_sha256,source_tool,source_tool_version,"
    "source_command,source_note,platform_nodes,platform_processors,platform_nics,"
    "platform_mapping,platform_counterpart,platform_title,platform_part_of,platform_note,"
    "platform_source,application_title,application_style,application_note,application_source,"
    "fit,fit_name,fit_values,fit_platform,fit_source,fit_base\n";

#define NO_FIT ",,,,,\n"

typedef struct writer {
    clump_store *store;
    clump_store_platform *platform;       /* of the last sample */
    clump_store_application *application; /* the same */
    const clump_store_filter *filter;
    clump_store_write_fn *fn;
    void *context;
    size_t used;
    bool stopped;
    clump_store_status status; /* of reading a platform */
    char buffer[1 << 15];
} writer;

static void flush(writer *to)
{
    if (to->used > 0 && !to->stopped)
        to->stopped = to->fn(to->buffer, to->used, to->context) != 0;
    to->used = 0;
}

static void put(writer *to, const char *bytes, size_t size)
{
    while (size > 0) {
        const size_t room = sizeof to->buffer - to->used;
        const size_t part = size < room ? size : room;
        memcpy(to->buffer + to->used, bytes, part);
        to->used += part;
        bytes += part;
        size -= part;
        if (to->used == sizeof to->buffer)
            flush(to);
    }
}

/* A field and what follows it. */
static void put_text(writer *to, const char *text, const char *after)
{
    if (text != NULL && strpbrk(text, "\",\r\n") == NULL && text[0] != '#') {
        put(to, text, strlen(text));
    } else if (text != NULL) {
        put(to, "\"", 1);
        for (const char *at = text; *at != '\0'; at++) {
            put(to, at, 1);
            if (*at == '"')
                put(to, at, 1);
        }
        put(to, "\"", 1);
    }
    put(to, after, strlen(after));
}

static void put_number(writer *to, double value)
{
    char text[CLUMP_NUMBER_TEXT] = "";
    if (!isnan(value))
        clump_number_print(value, text);
    put_text(to, text, ",");
}

static void put_whole(writer *to, int64_t value)
{
    char text[32] = "";
    if (value >= 0)
        snprintf(text, sizeof text, "%lld", (long long)value);
    put_text(to, text, ",");
}

/* 0 stands for "not known" or "none". */
static void put_known(writer *to, int64_t value)
{
    put_whole(to, value > 0 ? value : -1);
}

/* Samples of one platform mostly follow each other. False if it cannot be read. */
static bool put_platform(writer *to, const char *name)
{
    if (name[0] == '\0') {
        put(to, ",,,,,,,,,", 9);
        return true;
    }
    if (to->platform == NULL || strcmp(to->platform->name, name) != 0) {
        clump_store_free(to->platform);
        to->platform = NULL;
        to->status = clump_store_find_platform(to->store, name, &to->platform);
        if (to->status != CLUMP_STORE_OK)
            return false;
    }
    const clump_store_platform *p = to->platform;
    put_whole(to, p->nodes);
    put_whole(to, p->processors);
    put_whole(to, p->nics);
    const char *const texts[] = {p->mapping, p->counterpart, p->title,
                                 p->part_of, p->note,        p->source};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        put_text(to, texts[i], ",");
    return true;
}

/* The same of applications. */
static bool put_application(writer *to, const char *name)
{
    if (name[0] == '\0') {
        put(to, ",,,,", 4);
        return true;
    }
    if (to->application == NULL || strcmp(to->application->name, name) != 0) {
        clump_store_free(to->application);
        to->application = NULL;
        to->status = clump_store_find_application(to->store, name, &to->application);
        if (to->status != CLUMP_STORE_OK)
            return false;
    }
    const clump_store_application *a = to->application;
    put_text(to, a->title, ",");
    put_text(to, a->style, ",");
    put_text(to, a->note, ",");
    put_text(to, a->source, ",");
    return true;
}

static void put_source(writer *to, const clump_store_source *from)
{
    const char *const provenance[] = {
        from->name, from->kind,   from->title, from->table_label,  from->section, from->page,
        from->file, from->sha256, from->tool,  from->tool_version, from->command, from->note};
    for (size_t i = 0; i < sizeof provenance / sizeof *provenance; i++)
        put_text(to, provenance[i], ",");
}

static int write_sample(const clump_store_sample *sample, void *context)
{
    writer *to = context;
    const clump_store_measurement *measured = &sample->measured;
    const char *const names[] = {sample->platform, sample->application, sample->transport,
                                 sample->variant,  sample->quantity,    sample->statistic};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        put_text(to, names[i], ",");
    put_text(to, sample->benchmark, ",");
    put_known(to, sample->window);
    put_known(to, sample->processes);
    put_known(to, measured->run);
    put_whole(to, sample->ordinal);
    put_whole(to, measured->size_bytes);
    put_number(to, measured->value);
    put_known(to, measured->iterations);
    put_number(to, measured->delay_us > 0 ? measured->delay_us : NAN);
    put_number(to, measured->half_width);
    put_number(to, measured->std_dev);
    put_text(to, sample->unit, ",");
    put_whole(to, measured->doubtful ? 1 : 0);
    put_text(to, measured->note, ",");
    put_whole(to, sample->reference ? 1 : 0);
    put_source(to, sample->source);
    if (!put_platform(to, sample->platform) || !put_application(to, sample->application))
        return 1;
    put(to, NO_FIT, sizeof NO_FIT - 1);
    return to->stopped;
}

/* ---- platforms and applications of the user's that have no sample: a row each without one */

static int stop(const clump_store_sample *sample, void *context)
{
    (void)sample, (void)context;
    return 1;
}

/* Whether the row is wanted; `source` is on the heap then. */
static bool is_bare(writer *to, const char *platform, const char *application, const char *source,
                    clump_store_source **found)
{
    const clump_store_filter *f = to->filter;
    const clump_store_filter own = {.platform = platform, .application = application};
    const bool asked =
        f->transport == NULL && f->quantity == NULL && f->statistic == NULL && f->variant == NULL &&
        f->benchmark == NULL && (f->source == NULL || strcmp(f->source, source) == 0) &&
        (f->platform == NULL || (platform != NULL && strcmp(f->platform, platform) == 0)) &&
        (f->application == NULL ||
         (application != NULL && strcmp(f->application, application) == 0));
    if (!asked)
        return false;
    to->status = clump_store_each_sample(to->store, &own, stop, NULL);
    const bool bare = to->status == CLUMP_STORE_OK;
    if (to->status == CLUMP_STORE_STOPPED)
        to->status = CLUMP_STORE_OK;
    if (bare)
        to->status = clump_store_find_source(to->store, source, found);
    return bare && to->status == CLUMP_STORE_OK;
}

/* All of a row without sample but what follows of a fit. False if something cannot be read. */
static bool put_bare(writer *to, const char *platform, const char *application,
                     const clump_store_source *from)
{
    enum { BETWEEN = 18 }; /* columns, application and reference */
    put_text(to, platform, ",");
    put_text(to, application, ",");
    for (int i = 0; i < BETWEEN; i++)
        put(to, ",", 1);
    put(to, "0,", 2);
    put_source(to, from);
    return put_platform(to, platform != NULL ? platform : "") &&
           put_application(to, application != NULL ? application : "");
}

static int write_bare(writer *to, const char *platform, const char *application, const char *source)
{
    clump_store_source *from = NULL;
    if (is_bare(to, platform, application, source, &from) &&
        put_bare(to, platform, application, from))
        put(to, NO_FIT, sizeof NO_FIT - 1);
    clump_store_free(from);
    return to->status != CLUMP_STORE_OK || to->stopped;
}

/* ---- fits: a row for each, and one for each of its parameters and runs */

/* " name=0.5", or nothing. */
static void put_value(writer *to, const char *name, double value)
{
    char number[CLUMP_NUMBER_TEXT], text[CLUMP_NUMBER_TEXT + 40];
    if (isnan(value))
        return;
    clump_number_print(value, number);
    put(to, text, (size_t)snprintf(text, sizeof text, " %s=%s", name, number));
}

static void put_fit(writer *to, const clump_store_fit *fit)
{
    put(to, "fit,", 4);
    put_text(to, fit->fitted_from, ",");
    put(to, "demand=", 7);
    put(to, fit->demand, strlen(fit->demand));
    put(to, " efficiency=", 12);
    put(to, fit->efficiency, strlen(fit->efficiency));
    put_value(to, "confidence", fit->confidence);
    put_value(to, "chi_square", fit->chi_square);
    put_value(to, "freedom", fit->freedom);
    put_value(to, "rms_error", fit->rms_error);
    put(to, ",,,\n", 4);
}

static void put_fit_parameter(writer *to, const clump_store_fit_parameter *p)
{
    put(to, "parameter,", 10);
    put_text(to, p->name, ",");
    put_value(to, "value", p->value);
    put_value(to, "low", p->low);
    put_value(to, "high", p->high);
    put_value(to, "free", p->free);
    put(to, ",,,\n", 4);
}

static void put_fit_run(writer *to, const clump_store_fit_run *run)
{
    put(to, "run,,", 5);
    put_value(to, "processors", (double)run->processors);
    put_value(to, "nics", (double)run->nics);
    put(to, " mapping=", 9);
    put(to, run->mapping, strlen(run->mapping));
    put_value(to, "max_nics", run->max_nics);
    put_value(to, "utilization", run->utilization);
    put_value(to, "remote_fraction", run->remote_fraction);
    put_value(to, "cost_ratio", run->cost_ratio);
    put_value(to, "waiting_fraction", run->waiting_fraction);
    put_value(to, "base_time", run->base_time_s);
    put_value(to, "time", run->time_s);
    put_value(to, "relative_error", run->relative_error);
    put_value(to, "fitted_time", run->fitted_s);
    put(to, ",", 1);
    put_text(to, run->platform, ",");
    put_text(to, run->source, ",");
    put_text(to, run->base, "\n");
}

static bool is_asked(const clump_store_filter *f, const char *application)
{
    return f->platform == NULL && f->transport == NULL && f->quantity == NULL &&
           f->statistic == NULL && f->variant == NULL && f->benchmark == NULL &&
           f->source == NULL &&
           (f->application == NULL ||
            (application != NULL && strcmp(f->application, application) == 0));
}

static int write_fit(const clump_store_application *application, void *context)
{
    writer *to = context;
    const char *name = application->name;
    clump_store_fit *fit = NULL;
    clump_store_source *from = NULL;
    if (application->reference || !is_asked(to->filter, name))
        return 0;
    to->status = clump_store_find_fit(to->store, name, &fit);
    if (to->status == CLUMP_STORE_OK && fit != NULL)
        to->status = clump_store_find_source(to->store, application->source, &from);
    if (to->status == CLUMP_STORE_OK && fit != NULL) {
        if (put_bare(to, NULL, name, from))
            put_fit(to, fit);
        for (size_t i = 0; i < fit->parameter_count && put_bare(to, NULL, name, from); i++)
            put_fit_parameter(to, &fit->parameters[i]);
        for (size_t i = 0; i < fit->run_count && put_bare(to, NULL, name, from); i++)
            put_fit_run(to, &fit->runs[i]);
    }
    clump_store_free(fit);
    clump_store_free(from);
    return to->status != CLUMP_STORE_OK || to->stopped;
}

/* All columns of a row of no platform and application that come before those of a fit. */
static void put_nothing(writer *to, const char *note)
{
    enum { BEFORE_NOTE = 19, AFTER = 12 + 9 + 4 }; /* source, platform, application */
    for (int i = 0; i < BEFORE_NOTE; i++)
        put(to, ",", 1);
    put_text(to, note, ",");
    put(to, "0,", 2);
    for (int i = 0; i < AFTER; i++)
        put(to, ",", 1);
}

/* ---- recordings: a row for each, and one for each row of its parts */

/* A text without blanks, which separate values: "%20" stands for one. */
static void put_encoded(writer *to, const char *text)
{
    static const char hex[] = "0123456789ABCDEF";
    for (; *text != '\0'; text++) {
        const unsigned char c = (unsigned char)*text;
        const char code[] = {'%', hex[c >> 4], hex[c & 15]};
        const bool plain = c > ' ' && c != '%' && c != '"' && c != ',' && c != 0x7f;
        put(to, plain ? text : code, plain ? 1 : sizeof code);
    }
}

static void put_facts_value(writer *to, const clump_facts_field *field, const unsigned char *row)
{
    char text[CLUMP_NUMBER_TEXT + 40];
    row += field->offset;
    switch (field->type) {
    case CLUMP_FACTS_TEXT: {
        const char *value;
        memcpy(&value, row, sizeof value);
        if (value == NULL)
            return;
        put(to, text, (size_t)snprintf(text, sizeof text, " %s=", field->name));
        put_encoded(to, value);
        break;
    }
    case CLUMP_FACTS_WHOLE: {
        int64_t value;
        memcpy(&value, row, sizeof value);
        if (value >= 0)
            put(to, text,
                (size_t)snprintf(text, sizeof text, " %s=%lld", field->name, (long long)value));
        break;
    }
    case CLUMP_FACTS_REAL: {
        double value;
        memcpy(&value, row, sizeof value);
        put_value(to, field->name, value);
        break;
    }
    case CLUMP_FACTS_TRUTH: {
        bool value;
        memcpy(&value, row, sizeof value);
        put(to, text, (size_t)snprintf(text, sizeof text, " %s=%d", field->name, value));
        break;
    }
    }
}

static void put_facts_row(writer *to, clump_facts *facts, clump_facts_part part, size_t index)
{
    const clump_facts_form *form = clump_facts_form_of(part);
    const unsigned char *row = clump_facts_row(facts, part, index);
    put(to, form->table, strlen(form->table));
    put(to, ",,", 2);
    for (size_t i = 0; i < form->field_count; i++)
        put_facts_value(to, &form->fields[i], row);
    put(to, ",,,\n", 4);
}

static int write_facts(const clump_store_recording *recording, void *context)
{
    writer *to = context;
    clump_facts *facts = NULL;
    clump_store_application *application = NULL;
    clump_store_source *from = NULL;
    if (!is_asked(to->filter, recording->application))
        return 0;
    to->status = clump_store_find_facts(to->store, recording->application, &facts);
    if (to->status == CLUMP_STORE_OK)
        to->status = clump_store_find_application(to->store, recording->application, &application);
    if (to->status == CLUMP_STORE_OK)
        to->status = clump_store_find_source(to->store, application->source, &from);
    if (to->status == CLUMP_STORE_OK && facts != NULL &&
        put_bare(to, NULL, recording->application, from)) {
        put_facts_row(to, facts, CLUMP_FACTS_HEAD, 0);
        for (size_t p = CLUMP_FACTS_HEAD + 1; p < CLUMP_FACTS_PARTS; p++)
            for (size_t i = 0; i < clump_facts_rows(facts, (clump_facts_part)p); i++) {
                put_nothing(to, NULL);
                put_facts_row(to, facts, (clump_facts_part)p, i);
            }
    }
    clump_facts_free(facts);
    clump_store_free(application);
    clump_store_free(from);
    return to->status != CLUMP_STORE_OK || to->stopped;
}

/* ---- frozen predictions: a row for each, and one for each set of them */

static int write_prediction(const clump_store_prediction *p, void *context)
{
    writer *to = context;
    put_nothing(to, NULL);
    put(to, "prediction,", 11);
    put_text(to, p->change, ",");
    put(to, " inputs=", 8);
    put(to, p->inputs, strlen(p->inputs));
    put_value(to, "now_time", p->now_time_s);
    put_value(to, "predicted", p->predicted_s);
    put_value(to, "low", p->low_s);
    put_value(to, "high", p->high_s);
    put(to, ",", 1);
    put_text(to, p->platform, ",");
    put_text(to, p->application, ",");
    put_text(to, p->base, "\n");
    return to->stopped;
}

static int write_frozen(const clump_store_frozen *frozen, void *context)
{
    writer *to = context;
    put_nothing(to, frozen->note);
    put(to, "frozen,", 7);
    put_text(to, frozen->name, ",");
    put_value(to, "level", frozen->level);
    put(to, ",", 1);
    put_text(to, frozen->made, ",");
    put_text(to, frozen->program, ",");
    put_text(to, frozen->rules, "\n");
    to->status = clump_store_each_prediction(to->store, frozen->name, write_prediction, to);
    if (to->status == CLUMP_STORE_STOPPED)
        to->status = CLUMP_STORE_OK;
    return to->status != CLUMP_STORE_OK || to->stopped;
}

static int write_platform(const clump_store_platform *platform, void *context)
{
    return !platform->reference && write_bare(context, platform->name, NULL, platform->source);
}

static int write_application(const clump_store_application *application, void *context)
{
    return !application->reference &&
           write_bare(context, NULL, application->name, application->source);
}

/* Both readings under one lock, so that they see the same. */
static clump_store_status check_and_write(clump_store *store, const clump_store_filter *filter,
                                          writer *to)
{
    const clump_store_status status = clump_store_each_sample(store, filter, NULL, NULL);
    clump_store_status written = status == CLUMP_STORE_OK
                                     ? clump_store_each_sample(store, filter, write_sample, to)
                                     : status;
    if (written == CLUMP_STORE_OK)
        written = clump_store_each_platform(store, write_platform, to);
    if (written == CLUMP_STORE_OK)
        written = clump_store_each_application(store, write_application, to);
    if (written == CLUMP_STORE_OK)
        written = clump_store_each_application(store, write_fit, to);
    if (written == CLUMP_STORE_OK)
        written = clump_store_each_recording(store, write_facts, to);
    if (written == CLUMP_STORE_OK && is_asked(filter, NULL))
        written = clump_store_each_frozen(store, write_frozen, to);
    return written;
}

clump_store_status clump_store_export(clump_store *store, const clump_store_filter *filter,
                                      clump_store_write_fn *fn, void *context)
{
    writer to = {.fn = fn, .context = context, .store = store, .filter = filter};
    put(&to, header, sizeof header - 1);
    if (store->db == NULL)
        return clump_store_fail(store, CLUMP_STORE_FAILED, "the database did not open");
    const bool locks = sqlite3_get_autocommit(store->db) != 0;
    if (locks && sqlite3_exec(store->db, "BEGIN", NULL, NULL, NULL) != SQLITE_OK)
        return clump_store_fail_sqlite(store, "read the database");
    clump_store_status status = check_and_write(store, filter, &to);
    clump_store_free(to.platform);
    clump_store_free(to.application);
    if (to.status != CLUMP_STORE_OK)
        status = to.status;
    if (locks)
        sqlite3_exec(store->db, "COMMIT", NULL, NULL, NULL);
    if (status == CLUMP_STORE_OK)
        flush(&to);
    return status == CLUMP_STORE_OK && to.stopped ? CLUMP_STORE_STOPPED : status;
}
