/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Each home answers the requests for one of its regions one after the other. For the one at the
 * front it takes back what stands against it: copies of readers (invalidation), or the only copy of
 * a writer, which comes back with its data and stays with that worker as a reader's if the request
 * is to read. The home's own accesses are requests, too. Packets between two workers are in order: that
 * a copy is there before it is taken back follows.
 */
#include "reproductions/systems/regions.h"

#include "reproductions/systems/packets.h"

#include <string.h>

enum { WORKERS_MOST = 1024, BYTES_MOST = 1 << 24, SHARER_WORDS = WORKERS_MOST / 64 };

/* What a packet is about. Data follow the header of GRANT_*, RETURN. */
enum kind {
    MAP,         /* how large is it? */
    MAPPED,      /* so large */
    READ_MISS,   /* a copy to read, please */
    WRITE_MISS,  /* the only copy, please */
    GRANT_READ,  /* here it is */
    GRANT_WRITE, /* the same; without data if they are there */
    INVALIDATE,  /* give up the copy */
    DOWNGRADE,   /* give back the data, and keep a copy to read */
    RETURN,      /* of a copy to write: its data */
    GONE,        /* of a copy to read */
    ARRIVED      /* at a barrier */
};

typedef struct header {
    uint32_t kind;
    uint32_t home, number;  /* of the region; number: of the barrier */
    uint32_t offset, bytes; /* of the data behind this; bytes: of all. MAPPED: of the region */
} header;

/* Words of state that steps touch, beyond those of the packets that carry them: what a coherence
 * protocol costs where a machine is modelled. Counted from the fields named. */
enum {
    WORK_FIND = 4,      /* a packet's region: kind, home or number, place in the table, pointer */
    WORK_MISS = 3,      /* at the one who lacks it: state, what it waits for, header's kind */
    WORK_GRANTED = 3,   /* state, accesses, nothing to wait for any more */
    WORK_REQUEST = 5,   /* at the home: into the queue 2, out of it 2, who and what */
    WORK_DECIDE = 3,    /* at the home: writer, readers, local accesses */
    WORK_DIRECTORY = 2, /* at the home: reader or writer entered, another one taken out */
    WORK_TAKE = 3,      /* at a holder: state, accesses, what is asked */
    WORK_TAKEN = 3,     /* at the home: how many are still out, holder taken out 2 */
    WORK_BARRIER = 4    /* count, expected, generation, header's kind; and each number */
};

/* What a worker may do with the data that it has. */
enum state { NOTHING, MAY_READ, MAY_WRITE };

typedef struct request {
    struct request *next;
    uint16_t from;
    bool write;
} request;

/* The home's part. */
typedef struct directory {
    uint64_t readers[SHARER_WORDS]; /* others with a copy to read */
    uint32_t reader_count;
    /* Who has the only copy; the home itself if it is here, or only readers' are out. */
    uint32_t writer;
    request *first, **last;
    uint32_t awaited; /* answers to INVALIDATE and DOWNGRADE for the request at the front */
    bool asked;       /* for them */
} directory;

struct clump_region {
    clump_regions *all;
    clump_region_name name;
    uint32_t bytes;
    unsigned char *data;
    enum state state;
    uint32_t reads;       /* begun, and not ended */
    bool writes;          /* the same */
    bool waits;           /* for a grant, which begins the access */
    bool taken;           /* the home wants it back, once the access has ended */
    bool keeps;           /* of that: it may go on reading */
    directory *directory; /* NULL: its home is elsewhere */
    clump_region *next;   /* in the table */
};

struct clump_regions {
    clump_worker *worker;
    clump_packets *packets;
    clump_region **created; /* here */
    uint32_t created_count, created_room;
    clump_region **table; /* mapped regions of others */
    uint32_t table_size, table_count;
    uint32_t mapped_bytes; /* answer to MAP, 0: none yet */
    clump_regions_counters counters;
    unsigned char *packet; /* being put together */
    /* The barrier: its number, who is there, and what they bring, by worker, so that sums do not depend on
     * who comes first. Two of each: some are at the next one while others have not heard yet of all
     * who are at this one. */
    uint32_t generation, arrived[2];
    double *numbers[2];
};

/* ---- packets */

static void charge(const clump_regions *s, unsigned words)
{
    clump_packets_charge(s->packets, words, 0);
}

static void send_header(clump_regions *s, uint32_t to, const header *h)
{
    clump_packets_send(s->packets, false, to, h, sizeof *h);
}

static void send_kind(clump_regions *s, uint32_t to, enum kind kind, clump_region_name name)
{
    send_header(s, to, &(header){.kind = kind, .home = name.home, .number = name.number});
}

/* All of a region's data, in as many packets as they need. */
static void send_data(clump_regions *s, uint32_t to, enum kind kind, const clump_region *r)
{
    const uint32_t room = (uint32_t)(clump_packets_most(s->packets) - sizeof(header));
    for (uint32_t at = 0; at < r->bytes;) {
        const uint32_t part = r->bytes - at < room ? r->bytes - at : room;
        const header h = {kind, r->name.home, r->name.number, at, r->bytes};
        memcpy(s->packet, &h, sizeof h);
        memcpy(s->packet + sizeof h, r->data + at, part);
        clump_packets_send(s->packets, false, to, s->packet, sizeof h + part);
        at += part;
    }
}

/* Keep the data of a packet. @return whether these were the last ones */
static bool take_data(clump_region *r, const header *h, const unsigned char *data, size_t size)
{
    if (h->bytes != r->bytes || h->offset > r->bytes || size > r->bytes - h->offset)
        clump_worker_fail(r->all->worker, "data beyond their region");
    if (size > 0)
        memcpy(r->data + h->offset, data, size);
    clump_packets_charge(r->all->packets, 0, size);
    return h->offset + size == r->bytes;
}

/* ---- readers of a region */

static bool is_reader(const directory *d, uint32_t worker)
{
    return (d->readers[worker / 64] >> worker % 64 & 1) != 0;
}

static void set_reader(directory *d, uint32_t worker, bool reads)
{
    const uint64_t bit = UINT64_C(1) << worker % 64;
    if (is_reader(d, worker) == reads)
        return;
    d->readers[worker / 64] ^= bit;
    d->reader_count += reads ? 1 : UINT32_MAX;
}

/* ---- the home */

static void serve(clump_region *r);

/* The access that waited for this has begun. */
static void granted(clump_region *r, bool write)
{
    if (!r->waits)
        clump_worker_fail(r->all->worker, "a region that nobody asked for");
    charge(r->all, WORK_GRANTED);
    r->waits = false;
    if (write || r->state == NOTHING) /* a home that reads may write as before */
        r->state = write ? MAY_WRITE : MAY_READ;
    r->writes = write;
    r->reads += !write;
}

/* Ask for what stands against a request: from readers other than who asks, or the writer. */
static void take_back(clump_region *r, const request *q)
{
    directory *d = r->directory;
    clump_regions *s = r->all;
    if (d->writer != r->name.home) {
        send_kind(s, d->writer, q->write ? INVALIDATE : DOWNGRADE, r->name);
        d->awaited++;
    } else if (q->write) {
        for (uint32_t i = 0; d->reader_count > 0 && i < SHARER_WORDS; i++)
            for (uint64_t left = d->readers[i]; left != 0; left &= left - 1) {
                const uint32_t reader = i * 64 + (uint32_t)__builtin_ctzll(left);
                if (reader == q->from)
                    continue;
                send_kind(s, reader, INVALIDATE, r->name);
                d->awaited++;
            }
    }
    d->asked = true;
}

/* Everything is here that the request at the front needs: answer it. */
static void answer(clump_region *r, const request *q)
{
    directory *d = r->directory;
    clump_regions *s = r->all;
    const bool has_data = is_reader(d, q->from);
    charge(s, WORK_DIRECTORY);
    if (q->from == s->worker->rank) {
        granted(r, q->write);
        return;
    }
    s->counters.served++;
    set_reader(d, q->from, !q->write);
    if (q->write) {
        d->writer = q->from;
        r->state = NOTHING;
    } else if (r->state == MAY_WRITE) {
        r->state = MAY_READ;
    }
    if (q->write && has_data)
        send_kind(s, q->from, GRANT_WRITE, r->name);
    else
        send_data(s, q->from, q->write ? GRANT_WRITE : GRANT_READ, r);
}

/* As many requests as can be answered now. */
static void serve(clump_region *r)
{
    directory *d = r->directory;
    clump_regions *s = r->all;
    while (d->first != NULL) {
        request *q = d->first;
        if (!d->asked) {
            charge(s, WORK_DECIDE);
            take_back(r, q);
        }
        /* The home's own access has to end, but not if both only read. */
        if (d->awaited > 0 || r->writes || (r->reads > 0 && q->write))
            return;
        d->first = q->next;
        if (d->first == NULL)
            d->last = &d->first;
        d->asked = false;
        answer(r, q);
        clump_worker_give_back(s->worker, q);
    }
}

static void enter(clump_region *r, uint32_t from, bool write)
{
    directory *d = r->directory;
    request *q = clump_worker_borrow(r->all->worker, sizeof *q);
    charge(r->all, WORK_REQUEST);
    *q = (request){.from = (uint16_t)from, .write = write};
    *d->last = q;
    d->last = &q->next;
    serve(r);
}

/* A copy is given up, or to be read only; its data are here, if it was the writer's. */
static void taken(clump_region *r, uint32_t from)
{
    directory *d = r->directory;
    charge(r->all, WORK_TAKEN);
    if (d->awaited == 0 || d->first == NULL)
        clump_worker_fail(r->all->worker, "a region that nobody wanted back");
    if (d->writer == from) {
        d->writer = r->name.home;
        set_reader(d, from, !d->first->write);
        r->state = d->first->write ? MAY_WRITE : MAY_READ;
    } else {
        set_reader(d, from, false);
    }
    if (--d->awaited == 0 && d->reader_count == 0)
        r->state = MAY_WRITE;
    serve(r);
}

/* ---- who has a copy */

static bool in_use(const clump_region *r)
{
    return r->reads > 0 || r->writes;
}

/* What the home wants back. */
static void give_back(clump_region *r)
{
    clump_regions *s = r->all;
    charge(s, WORK_TAKE);
    s->counters.invalidations++;
    r->taken = false;
    if (r->state == MAY_WRITE)
        send_data(s, r->name.home, RETURN, r);
    else
        send_kind(s, r->name.home, GONE, r->name);
    r->state = r->keeps ? MAY_READ : NOTHING;
}

static void wanted_back(clump_region *r, bool keeps)
{
    if (r->state == NOTHING || (keeps && r->state != MAY_WRITE))
        clump_worker_fail(r->all->worker, "a copy wanted back that is not here");
    r->taken = true;
    r->keeps = keeps;
    if (!in_use(r))
        give_back(r);
}

/* ---- all regions of a worker */

static uint32_t place_of(const clump_regions *s, clump_region_name name)
{
    const uint64_t key = (uint64_t)name.home << 32 | name.number;
    return (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (s->table_size - 1);
}

static clump_region *find(const clump_regions *s, clump_region_name name)
{
    if (name.home == s->worker->rank)
        return name.number < s->created_count ? s->created[name.number] : NULL;
    clump_region *r = s->table_size > 0 ? s->table[place_of(s, name)] : NULL;
    while (r != NULL && (r->name.home != name.home || r->name.number != name.number))
        r = r->next;
    return r;
}

/* Twice the table, and all of it again. */
static void grow_table(clump_regions *s)
{
    clump_region **before = s->table;
    const uint32_t size = s->table_size;
    s->table_size = size > 0 ? 2 * size : 256;
    s->table = clump_worker_borrow(s->worker, s->table_size * sizeof(clump_region *));
    memset(s->table, 0, s->table_size * sizeof(clump_region *));
    for (uint32_t i = 0; i < size; i++)
        while (before[i] != NULL) {
            clump_region *r = before[i];
            before[i] = r->next;
            r->next = s->table[place_of(s, r->name)];
            s->table[place_of(s, r->name)] = r;
        }
    clump_worker_give_back(s->worker, before);
}

static clump_region *make_region(clump_regions *s, clump_region_name name, uint32_t bytes)
{
    clump_region *r = clump_worker_allocate(s->worker, 1, sizeof *r + bytes);
    *r = (clump_region){.all = s, .name = name, .bytes = bytes, .data = (unsigned char *)(r + 1)};
    return r;
}

/* ---- the barrier */

static double reduce_two(clump_region_reduction how, double a, double b)
{
    switch (how) {
    case CLUMP_REGION_LEAST:
        return a < b ? a : b;
    case CLUMP_REGION_GREATEST:
        return a > b ? a : b;
    default:
        return a + b;
    }
}

static double *numbers_of(clump_regions *s, uint32_t generation, uint32_t worker)
{
    return s->numbers[generation % 2] + (size_t)worker * CLUMP_REGION_REDUCED_MOST;
}

static void on_arrived(clump_regions *s, const clump_worker_packet *p, const header *h,
                       const unsigned char *data, size_t size)
{
    if (!p->all || h->number - s->generation > 1)
        clump_worker_fail(s->worker, "somebody else's barrier");
    if (size > CLUMP_REGION_REDUCED_MOST * sizeof(double))
        clump_worker_fail(s->worker, "a barrier with too many numbers");
    charge(s, WORK_BARRIER + (unsigned)(size / sizeof(double)));
    if (size > 0)
        memcpy(numbers_of(s, h->number, p->from), data, size);
    s->arrived[h->number % 2]++;
}

/* ---- what comes */

static void take_region_packet(clump_regions *s, clump_region *r, uint32_t from, const header *h,
                               const unsigned char *data, size_t size)
{
    const bool here = r->directory != NULL;
    switch (h->kind) {
    case MAP:
        send_header(
            s, from,
            &(header){
                .kind = MAPPED, .home = r->name.home, .number = r->name.number, .bytes = r->bytes});
        return;
    case READ_MISS:
    case WRITE_MISS:
        if (here) {
            enter(r, from, h->kind == WRITE_MISS);
            return;
        }
        break;
    case RETURN:
        if (here && r->directory->writer == from) {
            if (take_data(r, h, data, size))
                taken(r, from);
            return;
        }
        break;
    case GONE:
        if (here && is_reader(r->directory, from)) {
            taken(r, from);
            return;
        }
        break;
    case GRANT_READ:
    case GRANT_WRITE:
        if (!here && (h->bytes == 0 || take_data(r, h, data, size)))
            granted(r, h->kind == GRANT_WRITE);
        if (!here)
            return;
        break;
    case INVALIDATE:
    case DOWNGRADE:
        if (!here) {
            wanted_back(r, h->kind == DOWNGRADE);
            return;
        }
        break;
    default:
        break;
    }
    clump_worker_fail(s->worker, "a message that does not fit its region");
}

static void take(clump_packets *packets, const clump_worker_packet *p, void *context)
{
    clump_regions *s = context;
    header h;
    (void)packets;
    if (p->size < sizeof h)
        clump_worker_fail(s->worker, "a message that is too short");
    memcpy(&h, p->data, sizeof h);
    const unsigned char *data = p->data + sizeof h;
    const size_t size = p->size - sizeof h;
    if (h.kind == MAPPED) {
        s->mapped_bytes = h.bytes;
    } else if (h.kind == ARRIVED) {
        on_arrived(s, p, &h, data, size);
    } else {
        clump_region *r = find(s, (clump_region_name){h.home, h.number});
        charge(s, WORK_FIND);
        if (r == NULL)
            clump_worker_fail(s->worker, "a region that does not exist");
        take_region_packet(s, r, p->from, &h, data, size);
    }
}

/* ---- for programs */

clump_regions *clump_regions_open(clump_worker *worker)
{
    if (worker->count > WORKERS_MOST)
        clump_worker_fail(worker, "more than 1024 workers share regions");
    clump_regions *s = clump_worker_allocate(worker, 1, sizeof *s);
    s->worker = worker;
    s->packets = clump_packets_open(worker, take, s);
    s->packet = clump_worker_allocate(worker, 1, clump_packets_most(s->packets));
    for (unsigned i = 0; i < 2; i++)
        s->numbers[i] = clump_worker_allocate(
            worker, (size_t)worker->count * CLUMP_REGION_REDUCED_MOST, sizeof(double));
    return s;
}

clump_worker *clump_regions_worker(const clump_regions *s)
{
    return s->worker;
}

clump_region_name clump_regions_create(clump_regions *s, uint32_t bytes)
{
    const clump_region_name name = {s->worker->rank, s->created_count};
    if (bytes == 0 || bytes > BYTES_MOST)
        clump_worker_fail(s->worker, "a region of no bytes, or of more than 2^24");
    if (s->created_count == s->created_room) {
        const uint32_t room = s->created_room > 0 ? 2 * s->created_room : 64;
        clump_region **larger = clump_worker_borrow(s->worker, room * sizeof(clump_region *));
        if (s->created_count > 0)
            memcpy(larger, s->created, s->created_count * sizeof(clump_region *));
        clump_worker_give_back(s->worker, s->created);
        s->created = larger;
        s->created_room = room;
    }
    clump_region *r = make_region(s, name, bytes);
    r->directory = clump_worker_allocate(s->worker, 1, sizeof *r->directory);
    r->directory->writer = name.home;
    r->directory->last = &r->directory->first;
    r->state = MAY_WRITE;
    s->created[s->created_count++] = r;
    return name;
}

/* How large a region of another worker is. */
static uint32_t ask_bytes(clump_regions *s, clump_region_name name)
{
    s->mapped_bytes = 0;
    send_kind(s, name.home, MAP, name);
    while (s->mapped_bytes == 0)
        clump_packets_wait(s->packets);
    return s->mapped_bytes;
}

clump_region *clump_regions_map(clump_regions *s, clump_region_name name, uint32_t bytes)
{
    clump_region *r = name.home < s->worker->count ? find(s, name) : NULL;
    if (r != NULL && (bytes == 0 || bytes == r->bytes))
        return r;
    if (name.home >= s->worker->count || name.home == s->worker->rank || r != NULL)
        clump_worker_fail(s->worker, "a region that does not exist, or is of another size");
    bytes = bytes > 0 ? bytes : ask_bytes(s, name);
    if (bytes > BYTES_MOST)
        clump_worker_fail(s->worker, "a region of more than 2^24 bytes");
    r = make_region(s, name, bytes);
    if (s->table_count >= s->table_size)
        grow_table(s);
    r->next = s->table[place_of(s, name)];
    s->table[place_of(s, name)] = r;
    s->table_count++;
    return r;
}

uint32_t clump_region_bytes(const clump_region *r)
{
    return r->bytes;
}

/* Ask for it, and wait. */
static void miss(clump_region *r, bool write)
{
    clump_regions *s = r->all;
    *(write ? &s->counters.write_misses : &s->counters.read_misses) += 1;
    charge(s, WORK_MISS);
    r->waits = true;
    if (r->directory != NULL)
        enter(r, s->worker->rank, write);
    else
        send_kind(s, r->name.home, write ? WRITE_MISS : READ_MISS, r->name);
    while (r->waits)
        clump_packets_wait(s->packets);
}

/* At the home requests of others go first that came first: who takes its own copy again and again
 * while they wait would keep it for ever. Elsewhere copies that are wanted back go when they are not
 * in use. */
static bool is_waited_for(const clump_region *r)
{
    return r->directory != NULL && r->directory->first != NULL;
}

const void *clump_region_start_read(clump_region *r)
{
    if (r->writes)
        clump_worker_fail(r->all->worker, "a region is read that is being written");
    if (r->reads > 0 || (r->state != NOTHING && !is_waited_for(r))) {
        r->all->counters.read_hits++;
        r->reads++;
    } else {
        miss(r, false);
    }
    return r->data;
}

void *clump_region_start_write(clump_region *r)
{
    if (in_use(r))
        clump_worker_fail(r->all->worker, "a region is written that is being read or written");
    if (r->state == MAY_WRITE && !is_waited_for(r)) {
        r->all->counters.write_hits++;
        r->writes = true;
    } else {
        miss(r, true);
    }
    return r->data;
}

/* Whoever waited for the end of this access goes on. */
static void ended(clump_region *r)
{
    if (in_use(r))
        return;
    if (r->directory != NULL && r->directory->first != NULL)
        serve(r);
    else if (r->taken)
        give_back(r);
    else
        return;
    clump_packets_flush(r->all->packets);
}

void clump_region_end_read(clump_region *r)
{
    if (r->reads == 0)
        clump_worker_fail(r->all->worker, "a read ends that has not begun");
    r->reads--;
    ended(r);
}

void clump_region_end_write(clump_region *r)
{
    if (!r->writes)
        clump_worker_fail(r->all->worker, "a write ends that has not begun");
    r->writes = false;
    ended(r);
}

void clump_regions_reduce(clump_regions *s, clump_region_reduction reduction, double *numbers,
                          unsigned count)
{
    const clump_worker *w = s->worker;
    const uint32_t generation = s->generation;
    const header h = {.kind = ARRIVED, .number = generation};
    const size_t size = count * sizeof *numbers;
    if (count > CLUMP_REGION_REDUCED_MOST)
        clump_worker_fail(s->worker, "more than 8 numbers are reduced");
    charge(s, WORK_BARRIER);
    memcpy(s->packet, &h, sizeof h);
    if (count > 0) {
        memcpy(s->packet + sizeof h, numbers, size);
        memcpy(numbers_of(s, generation, w->rank), numbers, size);
    }
    clump_packets_send(s->packets, true, 0, s->packet, sizeof h + size);
    clump_packets_flush(s->packets);
    while (s->arrived[generation % 2] + 1 < w->count)
        clump_packets_wait(s->packets);
    s->arrived[generation % 2] = 0;
    s->generation++;
    for (uint32_t i = 0; i < count; i++) {
        numbers[i] = numbers_of(s, generation, 0)[i];
        for (uint32_t worker = 1; worker < w->count; worker++)
            numbers[i] = reduce_two(reduction, numbers[i], numbers_of(s, generation, worker)[i]);
    }
}

void clump_regions_barrier(clump_regions *s)
{
    clump_regions_reduce(s, CLUMP_REGION_ADD, NULL, 0);
}

void clump_regions_poll(clump_regions *s)
{
    clump_packets_poll(s->packets);
}

clump_regions_counters clump_regions_count(const clump_regions *s)
{
    return s->counters;
}

static const char *check_region(const clump_region *r)
{
    const directory *d = r->directory;
    uint32_t readers = 0;
    if (in_use(r) || r->waits)
        return "no access has begun";
    if (r->taken)
        return "a copy that is wanted back and not in use is given back";
    if (d == NULL)
        return NULL;
    for (uint32_t i = 0; i < SHARER_WORDS; i++)
        readers += (uint32_t)__builtin_popcountll(d->readers[i]);
    if (readers != d->reader_count)
        return "readers are counted";
    if (d->writer != r->name.home && (readers > 0 || r->state != NOTHING))
        return "a writer is alone";
    if (d->writer == r->name.home && r->state == NOTHING)
        return "a region without a writer elsewhere is at home";
    if (readers > 0 && r->state == MAY_WRITE)
        return "the home does not write while others read";
    if (d->awaited > 0 && d->first == NULL)
        return "what is wanted back is wanted by a request";
    return NULL;
}

const char *clump_regions_check(const clump_regions *s)
{
    const char *wrong = NULL;
    for (uint32_t i = 0; i < s->created_count && wrong == NULL; i++)
        wrong = check_region(s->created[i]);
    for (uint32_t i = 0; i < s->table_size && wrong == NULL; i++)
        for (const clump_region *r = s->table[i]; r != NULL && wrong == NULL; r = r->next)
            wrong = check_region(r);
    return wrong;
}
