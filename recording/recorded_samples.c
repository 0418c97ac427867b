/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/recorded_samples.h"

#include <math.h>

enum { OUTSIDE = RECORDED_OUTSIDE };

/* Messages of a sender to a receiver with a tag, in the order of time. */
typedef struct channel {
    uint32_t received; /* so far */
    int part;          /* of the last one that was received */
    uint32_t there,
        taken; /* messages that were under way when that part began and are not received yet; those of it that are */
    uint32_t sent[]; /* before the first part, in it, between it and the next one ... */
} channel;

/* Before each part, within it, and after the last one. */
static size_t slots_of(const recorded_sample *s)
{
    return 2 * (size_t)s->wanted.parts + 1;
}

void recorded_sample_make(recorded_sample *s, const recorded_wanted *wanted, size_t ranks)
{
    *s = (recorded_sample){.wanted = *wanted, .ranks = ranks};
    s->channels.size = sizeof(channel) + slots_of(s) * sizeof(uint32_t);
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
    return s->wanted.parts == 1 ? (1 - s->wanted.share) / 2
                                : (at - floor(at)) * (1 - s->wanted.share);
}

/* Twice the part, and one more within its stretch. */
static int slot_of(const recorded_sample *s, double time)
{
    if (time < s->wanted.from)
        return 0;
    if (s->wanted.share >= 1)
        return time <= s->wanted.until ? 1 : 2;
    const double width = (s->wanted.until - s->wanted.from) / s->wanted.parts,
                 at = (time - s->wanted.from) / width;
    if (!(at < s->wanted.parts))
        return 2 * s->wanted.parts;
    const double within = at - floor(at) - place_in(s, (int)at);
    return 2 * (int)at + (within < 0 ? 0 : within <= s->wanted.share ? 1 : 2);
}

int recorded_sample_part(const recorded_sample *s, double time)
{
    const int slot = s->wanted.all ? 1 : slot_of(s, time);
    return slot % 2 == 1 ? slot / 2 : OUTSIDE;
}

double recorded_sample_time(const recorded_sample *s, double from, double to)
{
    const double width = (s->wanted.until - s->wanted.from) / s->wanted.parts;
    double sum = 0;
    if (s->wanted.all)
        return fmax(to - from, 0);
    for (int i = 0; i < s->wanted.parts; i++) {
        const double begin = s->wanted.from + width * (i + place_in(s, i));
        sum += fmax(fmin(to, begin + width * s->wanted.share) - fmax(from, begin), 0);
    }
    return sum;
}

/* ---- messages */

uint32_t recorded_sample_tag(const recorded_sample *s, uint32_t tag, int part)
{
    return s->wanted.all ? tag : tag * (uint32_t)s->wanted.parts + (uint32_t)part;
}

static channel *channel_at(const recorded_sample *s, uint32_t place)
{
    return (channel *)(void *)((char *)s->channels.items + (size_t)place * s->channels.size);
}

static channel *find_channel(recorded_sample *s, uint32_t from, uint32_t to, uint32_t tag)
{
    const uint64_t pair = (uint64_t)from * s->ranks + to;
    uint32_t place = clump_table_get(&s->channel_of, pair, tag);
    if (place == CLUMP_TABLE_NONE) {
        place = clump_pool_take(&s->channels);
        if (place == CLUMP_TABLE_NONE || !clump_table_put(&s->channel_of, pair, tag, place))
            return NULL;
        channel_at(s, place)->part = OUTSIDE;
    }
    return channel_at(s, place);
}

bool recorded_sample_send(recorded_sample *s, uint32_t from, uint32_t to, uint32_t tag, double time)
{
    if (s->wanted.all)
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
    *sent_in = s->wanted.all ? 0 : OUTSIDE;
    if (s->wanted.all)
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
