/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/recorded_samples.h"

#include <math.h>

enum { PARTS = CLUMP_RECORDED_MOST_PARTS, OUTSIDE = RECORDED_OUTSIDE };

/* Messages of a sender to a receiver with a tag, in the order of time. */
typedef struct channel {
    uint32_t
        sent[2 * PARTS + 1]; /* before the first part, in it, between it and the next one ... */
    uint32_t received;       /* so far */
    int part;                /* of the last one that was received */
    uint32_t there,
        taken; /* messages that were under way when that part began and are not received yet; those of it that are */
} channel;

void recorded_sample_make(recorded_sample *s, const clump_recorded_schedule_options *o, double end,
                          size_t ranks)
{
    const bool shares = o->share > 0 && o->share < 1;
    *s = (recorded_sample){.from = o->from,
                           .until = o->until > 0 ? o->until : end,
                           .share = shares ? o->share : 1,
                           .parts = !shares                            ? 1
                                    : o->parts > 0 && o->parts < PARTS ? (int)o->parts
                                                                       : PARTS,
                           .whole = !(o->from > 0 || o->until > 0 || o->share > 0),
                           .ranks = ranks,
                           .channels = {.size = sizeof(channel)}};
}

void recorded_sample_release(recorded_sample *s)
{
    clump_table_clear(&s->channel_of);
    clump_pool_clear(&s->channels);
}

/* ---- time */

/* Where in a part its stretch begins, as a share of the part: multiples of the golden ratio are spread evenly, and in step with no program. */
static double place_in(const recorded_sample *s, int part)
{
    const double golden = 0.6180339887498949, at = (part + 0.5) * golden;
    return s->parts == 1 ? (1 - s->share) / 2 : (at - floor(at)) * (1 - s->share);
}

/* Twice the part, and one more within its stretch. */
static int slot_of(const recorded_sample *s, double time)
{
    if (time < s->from)
        return 0;
    if (s->share >= 1)
        return time <= s->until ? 1 : 2;
    const double width = (s->until - s->from) / s->parts, at = (time - s->from) / width;
    if (!(at < s->parts))
        return 2 * s->parts;
    const double within = at - floor(at) - place_in(s, (int)at);
    return 2 * (int)at + (within < 0 ? 0 : within <= s->share ? 1 : 2);
}

int recorded_sample_part(const recorded_sample *s, double time)
{
    const int slot = s->whole ? 1 : slot_of(s, time);
    return slot % 2 == 1 ? slot / 2 : OUTSIDE;
}

double recorded_sample_time(const recorded_sample *s, double from, double to)
{
    const double width = (s->until - s->from) / s->parts;
    double sum = 0;
    if (s->whole)
        return fmax(to - from, 0);
    for (int i = 0; i < s->parts; i++) {
        const double begin = s->from + width * (i + place_in(s, i));
        sum += fmax(fmin(to, begin + width * s->share) - fmax(from, begin), 0);
    }
    return sum;
}

/* ---- messages */

uint32_t recorded_sample_tag(const recorded_sample *s, uint32_t tag, int part)
{
    return s->whole ? tag : tag * PARTS + (uint32_t)part;
}

static channel *find_channel(recorded_sample *s, uint32_t from, uint32_t to, uint32_t tag)
{
    const uint64_t pair = (uint64_t)from * s->ranks + to;
    uint32_t place = clump_table_get(&s->channel_of, pair, tag);
    if (place == CLUMP_TABLE_NONE) {
        place = clump_pool_take(&s->channels);
        if (place == CLUMP_TABLE_NONE || !clump_table_put(&s->channel_of, pair, tag, place))
            return NULL;
        ((channel *)s->channels.items)[place] = (channel){.part = OUTSIDE};
    }
    return &((channel *)s->channels.items)[place];
}

bool recorded_sample_send(recorded_sample *s, uint32_t from, uint32_t to, uint32_t tag, double time)
{
    if (s->whole)
        return true;
    channel *c = find_channel(s, from, to, tag);
    if (c == NULL)
        return false;
    c->sent[slot_of(s, time)]++;
    return true;
}

/* The part begins for the receiver: what was sent before and not received is there. */
static void begin_part(channel *c, int part)
{
    uint32_t sent = 0;
    for (int i = 0; i <= 2 * part; i++)
        sent += c->sent[i];
    c->part = part;
    c->there = sent > c->received ? sent - c->received : 0;
    c->taken = 0;
}

bool recorded_sample_receive(recorded_sample *s, uint32_t from, uint32_t to, uint32_t tag, int part,
                             int *sent_in)
{
    *sent_in = s->whole ? 0 : OUTSIDE;
    if (s->whole)
        return true;
    channel *c = find_channel(s, from, to, tag);
    if (c == NULL)
        return false;
    if (part != OUTSIDE && part != c->part)
        begin_part(c, part);
    c->received++;
    if (part == OUTSIDE)
        return true;
    if (c->there > 0) {
        c->there--;
    } else if (c->taken < c->sent[2 * part + 1]) {
        c->taken++;
        *sent_in = part;
    }
    return true;
}
