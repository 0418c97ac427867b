#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What `clumpmodel validate` must print for tables 6.5, 6.6, 7.7 to 7.9 and 7.11 of the thesis, from the printed tables.

Shares no code and no numbers with the program: the tables were typed in once more, and times are added up in
seconds, where the program works with shares and slowdowns.  Memory is solved by mean value analysis, the balance of
requests and answers by damped iteration, the greatest of several by Simpson's rule.  Needs nothing but Python 3.
Writes validation.csv and validation_fit.csv, and prints the errors of every variant and those of terms that were
tried and left out (MODEL.md).
"""
import math
import os
from statistics import NormalDist

HERE = os.path.dirname(os.path.abspath(__file__))
NAN = float('nan')

# Table 7.6: L, o_s, o_r, g in us, G in us/B; multi- and single-protocol.
MYRINET = (12.56, 3.463, 8.93, 14.51, 31.208e-3)
MYRINET_ALONE = (8.16, 5.424, 10.51, 14.802, 30.962e-3)
MEMORY = (-0.52, 2.135, 1.73, 3.251, 6.30e-3)
MEMORY_ALONE = (-0.50, 1.819, 1.47, 3.005, 6.035e-3)
# Table 6.3, by queue.
QUEUES = {
    'test-and-set': (-0.59, 1.824, 1.49, 2.953, 5.991e-3),
    'test-and-test-and-set': (-0.53, 1.714, 1.52, 2.937, 5.992e-3),
    'ticket-lock': (-0.58, 1.764, 1.68, 3.122, 5.986e-3),
    'anderson-lock': (-0.61, 1.884, 1.49, 2.988, 6.20e-3),
    'lock-free': MEMORY_ALONE,
    'lock-free-fifo': (-0.60, 1.883, 1.49, 3.240, 5.98e-3),
    'posix-mutex': (-0.42, 2.160, 1.57, 3.418, 6.044e-3),
}
LAYERS = ['multi-protocol', 'single-protocol', 'no-yield', 'sleep-yield'] + list(QUEUES)
PROGRAMS = ['SAMPLE', 'CON/comp', 'CON/comm', '3-D FFT', 'EM3D', 'EM3D/naive', 'EM3D/good',
            'SC97/3-D FFT', 'SC97/CON/comm', 'SC97/CON/comp', 'SC97/EM3D']

# Tables 5.1 and 5.4, section 7.4.1.
MISS_NOW, MISS_NODE = 44 / 167e6, 51 / 167e6
LINE = 64
BUS = 2.5e9
TWO_BANKS = 2 * (2 * 184 * 2**20)  # what two processors move that copy
KB = 1024

# Table 5.6: short messages, bulk messages, bytes of each; table 7.7: multi-protocol SMP, NOW.
ONE_SMP = {
    'SAMPLE': ((76517, 5, 29), 0.773, 1.50),
    'CON/comp': ((11900, 18, 16), 1.073, 1.095),
    'CON/comm': ((106925, 365, 16), 1.74, 3.755),
    '3-D FFT': ((3647, 3584, 2 * KB), 0.666, 0.770),
    'EM3D': ((141448, 0, 0), 0.667, 4.01),
}
# The other columns of table 7.7; table 6.6; table 6.5.
NO_YIELD = (0.697, 1.086, 1.660, 0.676, 0.643)
SLEEP_YIELD = (0.762, 1.11, 1.89, 0.677, 0.682)
BY_QUEUE = {
    'test-and-set': (0.891, 1.12, 1.94, 0.685, 0.79),
    'test-and-test-and-set': (0.875, 1.078, 1.94, 0.687, 0.836),
    'ticket-lock': (0.893, 1.12, 1.93, 0.685, 0.817),
    'anderson-lock': (1.027, 1.14, 2.08, 0.681, 0.905),
    'lock-free': (0.762, 1.11, 1.89, 0.677, 0.682),
    'lock-free-fifo': (0.791, 1.09, 1.86, 0.69, 0.68),
    'posix-mutex': (2.43, 1.12, 2.16, 0.70, 1.284),
}
# Tables 5.7 (remote), 5.8 (local), 7.8; least and greatest numbers of short messages to other nodes (5.7), and the
# greatest within (5.8).
CLUMP = {
    'SAMPLE': ((65608, 4, 96), (19119, 3, 29), 3.33, 2.46, 52852, 76458, 21591),
    'CON/comp': ((5991, 10, 16), (5889, 6, 16), 1.416, 1.22, 5601, 6500, 6410),
    'CON/comm': ((67588, 290, 16), (50677, 130, 16), 7.19, 6.72, 52491, 199747, 80666),
    '3-D FFT': ((966, 768, 2 * KB), (282, 224, 2 * KB), 0.481, 0.31, 768, 1164, 620),
    'EM3D/naive': ((60856, 0, 0), (101220, 0, 0), 3.654, 4.93, 40380, 81580, 122670),
    'EM3D/good': ((40560, 0, 0), (121432, 0, 0), 3.402, 5.39, 0, 81750, 122210),
}
HALF_CLUMP = {'SAMPLE': (1.76, 2.01), 'CON/comp': (1.128, 1.110), 'CON/comm': (4.18, 4.76), '3-D FFT': (0.504, 0.518)}
# Table 7.11: SMP alone, SMP multi-protocol, NOW multi-protocol, NOW alone.
TWO_BANK_TIMES = {
    '3-D FFT': (8.7, 9.0, 7.0, 6.76),
    'CON/comm': (1.96, 2.1, 4.01, 4.01),
    'CON/comp': (1.40, 1.44, 1.18, 1.19),
    'EM3D': (7.7, 8.6, 33.9, 33.8),
}
BLOCKING = ('CON/comp', 'CON/comm', 'EM3D', 'EM3D/naive', 'EM3D/good')
MUTUAL = ('EM3D', 'EM3D/naive', 'EM3D/good')

# waiting, answering, memory, bandwidth, computation, slowest, lockstep, bus, correlated
TERMS = 'waiting answering memory bandwidth computation slowest lockstep bus correlated'.split()


def variant(without=(), also=()):
    return {term: (term != 'bus' and term not in without) or term in also for term in TERMS}


VARIANTS = {
    'full': variant(),
    'no-waiting': variant(['waiting']),
    'no-answering': variant(['answering']),
    'no-memory': variant(['memory']),
    'no-bandwidth': variant(['bandwidth']),
    'no-computation': variant(['computation']),
    'no-slowest': variant(['slowest']),
    'no-lockstep': variant(['lockstep']),
    'bus': variant(also=['bus']),
    'independent': variant(['correlated']),
    'chapter-8': variant(TERMS[:-1]),
    'chapter-8-independent': variant(TERMS),
}


# ---- memory, answers, the slowest

def queueing(processors, share):
    """How much slower each of so many is that is the share of its time at one server: mean value analysis."""
    at_server, cycle = 0, 1
    for n in range(1, processors + 1):
        there = share * (1 + at_server)
        cycle = 1 - share + there
        at_server = n * there / cycle
    return cycle


def penalty(share, processors, bandwidth, v):
    """Computation on the node over that on the NOW."""
    if not v['memory']:
        return 1
    alone = 1 + share * (MISS_NODE / MISS_NOW - 1)
    busy = LINE / bandwidth if v['bandwidth'] else 0
    return alone * queueing(processors, share * busy / (MISS_NOW * alone))


def round_trip(protocol):
    """Of a request that a processor answers which asks itself."""
    latency, send, receive = protocol[:3]
    receive, latency = receive + min(latency, 0), max(latency, 0)
    handle = send + receive
    cycle = 2 * (send + latency + receive)
    for _ in range(2000):
        busy = handle / cycle
        rest = busy * handle / 2 + (send**2 + receive**2) / (2 * cycle)
        request = (handle + rest - handle**2 / cycle) / (1 - handle / cycle)
        answer = receive + busy * handle / 2 + (request - handle) / cycle * handle
        cycle += 0.3 * (send + 2 * latency + request + answer - cycle)
    return cycle


def greatest_normal(count):
    """Mean of the greatest of so many: the integral of x times its density."""
    steps, end = 20000, 10.0
    total = 0
    for i in range(steps + 1):
        x = -end + 2 * end * i / steps
        below = math.erfc(-x / math.sqrt(2)) / 2
        density = count * math.exp(-x * x / 2) / math.sqrt(2 * math.pi) * below**(count - 1)
        total += x * density * (1 if i in (0, steps) else 4 if i % 2 else 2)
    return total * 2 * end / steps / 3


GREATEST_OF_32 = greatest_normal(32)
TRIPS = {p: round_trip(p) for p in [MYRINET, MYRINET_ALONE, MEMORY] + list(QUEUES.values())}


def greatest_of(count, function):
    """Mean of function(z) of the greatest z of so many."""
    steps, end = 4000, 14.0
    total = 0
    for i in range(steps + 1):
        x = -end + 2 * end * i / steps
        below = math.erfc(-x / math.sqrt(2)) / 2
        density = count * math.exp(-x * x / 2) / math.sqrt(2 * math.pi) * below**(count - 1)
        total += function(x) * density * (1 if i in (0, steps) else 4 if i % 2 else 2)
    return total * 2 * end / steps / 3


def spread(mean, least, greatest, count=32):
    """The quantity of a processor by its normal number: as MODEL.md 25 has it."""
    if abs(greatest + least - 2 * mean) < 1e-3 * (greatest - least):
        d = (greatest - least) / (2 * GREATEST_OF_32)
        return lambda z: max(mean + d * z, 0)
    side = 1 if greatest - mean > mean - least else -1
    longer, shorter = max(greatest - mean, mean - least), min(greatest - mean, mean - least)

    def ends(k):
        return greatest_of(count, lambda z: math.exp(k * z)), math.exp(k * k / 2), greatest_of(count, lambda z: math.exp(-k * z))
    low, high = 1e-3, 4.0
    for _ in range(50):
        k = (low + high) / 2
        most, middle, few = ends(k)
        low, high = (low, k) if (most - middle) > longer / shorter * (middle - few) else (k, high)
    most, middle, few = ends(k)
    scale = (greatest - least) / (most - few)
    return lambda z: max(mean + side * scale * (math.exp(side * k * z) - middle), 0)


STEP = 0.08
ZS = [(-6 + STEP * i, STEP * NormalDist().pdf(-6 + STEP * i)) for i in range(157)]


def last_of_pairs(need, correlated, pairs=16):
    """Expected time of the slowest of so many pairs with a NIC each; need(z): time without the NIC, and with it."""
    needs = [(need(z), weight) for z, weight in ZS]
    times = sorted((pair_time(a, b, correlated), u * v) for a, u in needs for b, v in needs)
    mean = below = before = 0.0
    for time, weight in times:
        below = min(below + weight, 1.0)
        mean += time * (below**pairs - before)
        before = below**pairs
    return mean / before


def pair_time(a, b, correlated):
    if correlated:
        few, many = sorted((a, b), key=lambda need: need[1])
        return max(few[0] + 2 * few[1], many[0] + few[1] + many[1])
    # Both at their equilibrium, whose weights are R R, S R, R S and 2 S S, until one is done; then the other alone.
    (r, s), (u, v) = a, b
    both = r * u + s * u + r * v + 2 * s * v
    paces = both / (u + v), both / (r + s)
    first = min(paces)
    rest = max(0.0, 1 - first / max(paces))
    last = (r + s) if paces[0] > paces[1] else (u + v)
    return first + rest * last


# ---- messages

def seconds(name, traffic, protocol, v, directions=1):
    """NIC time and time of waiting; messages and bytes in all bulk messages."""
    latency, send, receive, gap, per_byte = protocol
    short, bulk, size = traffic
    half = TRIPS[protocol] / 2 if name in MUTUAL and v['answering'] else send + latency + receive
    waits = v['waiting'] and name in BLOCKING
    busy = gap * (short + bulk) + directions * per_byte * bulk * max(size - 1, 0)
    return busy * 1e-6, waits * short * max(half - gap, 0) * 1e-6


def pair_stretch(utilization):
    """Slowdown of two processors with one NIC, independent demand, from the probabilities of the four states."""
    if utilization in (0, 1):
        return 1 + utilization
    w = utilization / (1 - utilization)
    both, one, none = 2 * w * w, w, 1
    total = both + 2 * one + none
    return total / ((none + one) + one + both / 2)  # computes, or is served alone, or gets half of the NIC


def together(alone, nic, sharing, correlated):
    """A processor's time: `alone` without contention, of which `nic` at a NIC that `sharing` processors have."""
    if sharing == 1:
        return alone
    if correlated:
        return alone + (sharing - 1) * nic
    return alone * pair_stretch(nic / alone)


def traffic_of_16(name):
    """Remote and local; section 5.3.3 tells how the programs distribute their data."""
    remote, local = CLUMP[name][:2]
    if name == 'SAMPLE':  # 262,144 keys a processor at any P: the share (P-1)/P leaves, in equal parts
        share, factor = 12 / 15, (15 / 16) / (31 / 32)
        total = [factor * (a + b) for a, b in zip(remote[:2], local[:2])]
    elif name == '3-D FFT':  # twice the data of 32 processors; barriers as many as subphases
        share = 12 / 15
        bulk = 2 * (768 + 224) * (15 / 16) / (31 / 32)
        total = [bulk + (966 + 282 - 768 - 224) / 2, bulk]
    else:  # halfway between 8 and 32 processors; the layout leaves the same share in the node
        smp = ONE_SMP[name][0]
        share = remote[0] / (remote[0] + local[0])
        total = [(a + b + c) / 2 for a, b, c in zip(smp[:2], remote[:2], local[:2])]
    size = bytes_of_16(name) / total[1]
    return ((share * total[0], share * total[1], size), ((1 - share) * total[0], (1 - share) * total[1], size))


def bytes_of_16(name):
    remote, local = CLUMP[name][:2]
    whole = remote[1] * remote[2] + local[1] * local[2]
    if name == 'SAMPLE':
        return whole * (15 / 16) / (31 / 32)
    if name == '3-D FFT':
        return 2 * whole * (15 / 16) / (31 / 32)
    smp = ONE_SMP[name][0]
    return (smp[1] * smp[2] + whole) / 2


# ---- runs

class Run:
    """A measured time and what it is predicted from."""

    def __init__(self, table, program, layer, measured, now, remote, local, *, name=None, network=MYRINET,
                 memory=MEMORY, processors=8, sharing=1, bandwidth=BUS, all_processors=8, known=False, messages=None):
        self.table, self.program, self.layer = table, program, layer
        self.measured, self.now = measured, now
        self.remote, self.local = remote, local
        self.name = name or program  # whose style it has
        self.network, self.memory, self.processors, self.sharing = network, memory, processors, sharing
        self.bandwidth, self.all_processors, self.known, self.messages = bandwidth, all_processors, known, messages
        self.value, self.pairs = spread(*messages) if messages else None, {}
        self.most = greatest_of(32, lambda z: self.value(z) - messages[0]) if messages else 0

    def computation(self, share, v):
        """Seconds that a processor of the NOW computes, from the run on one SMP; the FFT is the only fixed problem."""
        if not (v['computation'] and self.known):
            return None
        base = 'EM3D' if self.name.startswith('EM3D') else self.name
        traffic, smp_time, _ = ONE_SMP[base]
        whole = max(smp_time - sum(seconds(base, traffic, MEMORY, v)), 0)
        return whole * (8 / self.all_processors if base == '3-D FFT' else 1) / penalty(share, 8, BUS, v)

    def predict(self, share, v):
        remote, local = self.remote, self.local
        if v['lockstep'] and self.name == '3-D FFT' and remote[0] > 0:  # every step lasts as long as a remote one
            remote, local = (remote[0] + local[0], remote[1] + local[1], remote[2]), (0, 0, 0)
        directions = 2 if v['bus'] else 1
        far = seconds(self.name, remote, self.network, v, directions)
        near = seconds(self.name, local, self.network, v, directions)
        rest = self.now - sum(far) - sum(near)
        if rest < 0:
            return NAN
        known = self.computation(share, v)
        computing = min(known, rest) if known else rest
        c = penalty(share, self.processors, self.bandwidth, v)
        alone = rest + computing * (c - 1) + sum(seconds(self.name, local, self.memory, v)) + sum(far)
        if v['slowest'] and self.messages:
            return self.slowest(v, far, near, sum(seconds(self.name, local, self.memory, v)), known, c)
        return together(alone, far[0], self.sharing, v['correlated'])

    def slowest(self, v, far, near, inside, known, c):
        """Processors that differ in their short remote messages, on the NOW and in the node."""
        message = seconds(self.name, (1, 0, 0), self.network, v)
        mean = self.messages[0]
        most = self.most
        rest = max(self.now - sum(far) - sum(near) - most * sum(message), 0)
        computing = min(known, rest) if known else rest
        base = rest + computing * (c - 1) + inside

        def need(z):
            more = self.value(z) - mean
            return base + far[1] + more * message[1], far[0] + more * message[0]
        if v['correlated']:  # what all have in common only adds
            key = (far, message)
            if key not in self.pairs:
                self.pairs[key] = last_of_pairs(need, True) - base
            time = base + self.pairs[key]
        else:
            time = last_of_pairs(need, False)
        own = rest + sum(far) + sum(near) + most * sum(message)
        return time * self.now / own

    def family(self):
        return 7.7 if self.table in (6.5, 6.6) else self.table


def runs():
    nothing = (0, 0, 0)
    for layer, times in BY_QUEUE.items():
        for (name, (traffic, _, now)), time in zip(ONE_SMP.items(), times):
            yield Run(6.5, name, layer, time, now, nothing, traffic, memory=QUEUES[layer])
    for (name, (traffic, _, now)), time in zip(ONE_SMP.items(), SLEEP_YIELD):
        yield Run(6.6, name, 'sleep-yield', time, now, nothing, traffic, memory=MEMORY_ALONE)
    for i, (name, (traffic, smp, now)) in enumerate(ONE_SMP.items()):
        yield Run(7.7, name, 'no-yield', NO_YIELD[i], now, nothing, traffic, memory=MEMORY_ALONE)
        yield Run(7.7, name, 'sleep-yield', SLEEP_YIELD[i], now, nothing, traffic, memory=MEMORY_ALONE)
        yield Run(7.7, name, 'multi-protocol', smp, now, nothing, traffic)
    for name, (remote, local, clump, now, _, _, _) in CLUMP.items():
        yield Run(7.8, name, 'multi-protocol', clump, now, remote, local, sharing=2, all_processors=32, known=True,
                  messages=(remote[0],) + CLUMP[name][4:6])
    for name, (clump, now) in HALF_CLUMP.items():
        remote, local = traffic_of_16(name)
        yield Run(7.9, name, 'multi-protocol', clump, now, remote, local, processors=4, all_processors=16, known=True)
    for name, (alone, multi, now, now_alone) in TWO_BANK_TIMES.items():
        traffic, _, before = ONE_SMP[name]  # of the same shape: as much more as the NOW takes longer
        traffic = (traffic[0] * now / before, traffic[1] * now / before, traffic[2])
        program = 'SC97/' + name
        yield Run(7.11, program, 'single-protocol', alone, now_alone, nothing, traffic, name=name,
                  network=MYRINET_ALONE, memory=MEMORY_ALONE, bandwidth=TWO_BANKS)
        yield Run(7.11, program, 'multi-protocol', multi, now, nothing, traffic, name=name, bandwidth=TWO_BANKS)


# ---- the share of the time in misses

FAMILIES = (7.7, 7.8, 7.9, 7.11)


def posterior(cases, left_out):
    """Mean and deviation of the share: equally likely from 0 to 1 before; Q^(-n/2) is the likelihood."""
    used = [r for r in cases if r.family() != left_out]
    programs = len({(r.family(), r.program) for r in used})
    weights = []
    for i in range(51):
        total = 0
        for family in FAMILIES:
            logs = [math.log(r.predict(i / 50, VARIANTS['full']) / r.measured)**2 for r in used if r.family() == family]
            total += sum(logs) / len(logs) if logs else 0
        weights.append((i / 50, (0.5 if i in (0, 50) else 1) * total**(-programs / 2)))
    whole = sum(w for _, w in weights)
    mean = sum(s * w for s, w in weights) / whole
    return mean, math.sqrt(sum((s - mean)**2 * w for s, w in weights) / whole)


# ---- terms that were tried and left out

def interleaved(run, share):
    """Waits overlap with the NIC's work for the others: inside a phase, a closed network of their own."""
    full = VARIANTS['full']
    base = Run.predict(run, share, full)
    if run.sharing == 1:
        return base
    remote = run.remote
    if run.name == '3-D FFT':
        remote = (remote[0] + run.local[0], remote[1] + run.local[1], remote[2])
    busy, idle = seconds(run.name, remote, MYRINET, full)
    return base - busy + busy * busy / (busy + idle)  # X of two customers: 1 + share, by mean value analysis


def proportional_stalls(run, share):
    """What is neither computation nor communication shrinks and grows with communication."""
    v = VARIANTS['full']
    far, near = seconds(run.name, run.remote, run.network, v), sum(seconds(run.name, run.local, run.network, v))
    after = sum(far) + (run.sharing - 1) * far[0] + sum(seconds(run.name, run.local, run.memory, v))
    compute = run.computation(share, v)
    compute = min(compute, run.now - sum(far) - near) if compute else run.now - sum(far) - near
    return compute * penalty(share, run.processors, run.bandwidth, v) + (run.now - compute) * after / (sum(far) + near)


def exchange_in_con(run, share):
    """CON's processors, too, answer while they ask."""
    if not run.name.startswith('CON'):
        return run.predict(share, VARIANTS['full'])
    MUTUAL_BEFORE = globals()['MUTUAL']
    globals()['MUTUAL'] = MUTUAL_BEFORE + ('CON/comp', 'CON/comm')
    time = run.predict(share, VARIANTS['full'])
    globals()['MUTUAL'] = MUTUAL_BEFORE
    return time


def upper_bound(run, share):
    """All computation feels the ratio of the times of a miss, nobody waits for others: as before memory was a station."""
    return run.predict(1, variant(['bandwidth']))


LEFT_OUT = {'waits interleave': interleaved, 'stalls in proportion': proportional_stalls,
            'CON answers, too': exchange_in_con, 'ratio of misses alone': upper_bound}


# ---- output

TABLES = (6.5, 6.6, 7.7, 7.8, 7.9, 7.11)


def report(title, errors):
    means = []
    for table in TABLES:
        part = [abs(e) for t, e in errors if t == table and not math.isnan(e)]
        means.append('%6.1f' % (100 * sum(part) / len(part)) if part else '     -')
    print('%-24s%s' % (title, ''.join(means)))


def main():
    cases = [r for r in runs() if not math.isnan(r.predict(0.5, VARIANTS['full']))]
    shares = {left_out: posterior(cases, left_out) for left_out in (0,) + FAMILIES}
    with open(os.path.join(HERE, 'validation_fit.csv'), 'w') as out:
        out.write('# Share of the time in misses, mean and deviation, without a table (0: with all), from validation.py\n')
        out.write('table,mean,deviation\n')
        for left_out, (mean, deviation) in shares.items():
            out.write('%.17g,%.17g,%.17g\n' % (left_out, mean, deviation))
    with open(os.path.join(HERE, 'validation.csv'), 'w') as out:
        out.write('# Predicted seconds by variant, three lines a run (GOLDEN_COLUMNS is 10), from validation.py\n')
        out.write('table,program,layer,measured,now,' + ','.join('v%d' % i for i in range(5)) + '\n')
        for run in cases:
            times = [run.predict(shares[run.family()][0], v) for v in VARIANTS.values()]
            head = [run.table, PROGRAMS.index(run.program), LAYERS.index(run.layer), run.measured, run.now]
            for first in (0, 5, 10):
                out.write(','.join('%.17g' % x for x in head + times[first:first + 5]) + '\n')
    for left_out, (mean, deviation) in shares.items():
        print('share of misses %s: %.3f, deviation %.3f' % ('without %g' % left_out if left_out else 'with all',
                                                           mean, deviation))
    print('run by run, in and out of sample:')
    for run in cases:
        if run.table not in (6.5, 6.6) and (run.table != 7.7 or run.layer == 'multi-protocol'):
            e = [100 * (run.predict(shares[f][0], VARIANTS['full']) / run.measured - 1) for f in (0, run.family())]
            print('  %5.4g %-14s %-16s %+6.1f %+6.1f' % (run.table, run.program, run.layer, e[0], e[1]))
    print('%-24s%s' % ('out of sample', ''.join('%6g' % t for t in TABLES)))
    for title, v in VARIANTS.items():
        report(title, [(r.table, r.predict(shares[r.family()][0], v) / r.measured - 1) for r in cases])
    report('full, in sample', [(r.table, r.predict(shares[0][0], VARIANTS['full']) / r.measured - 1) for r in cases])
    print('left out:')
    for title, term in LEFT_OUT.items():
        report(title, [(r.table, term(r, shares[r.family()][0]) / r.measured - 1) for r in cases])


if __name__ == '__main__':
    main()
