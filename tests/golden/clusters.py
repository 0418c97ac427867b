#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What `clumpmodel validate --kind nics` and `--kind collectives` must predict from the facts in docs/clusters/.

Shares no code with the program.  Needs nothing but Python 3.  Writes clusters.csv and collectives.csv.
"""
import collections
import csv
import itertools
import math
import os
import statistics

HERE = os.path.dirname(os.path.abspath(__file__))
FACTS = os.path.join(HERE, '..', '..', 'docs', 'clusters')
NORMAL = statistics.NormalDist()


def read(name):
    with open(os.path.join(FACTS, name)) as file:
        return list(csv.DictReader(line for line in file if not line.startswith('#')))


# ---- what a NIC carries in one direction, MB/s: rates[platform][pairs][bytes]

def read_rates():
    sums = collections.defaultdict(list)
    for row in read('alaska-both-ways.csv'):
        sums[row['platform'], int(row['processes']) // 2, int(row['size_bytes'])].append(float(row['value']))
    rates = collections.defaultdict(lambda: collections.defaultdict(dict))
    for (platform, pairs, size), values in sums.items():
        rates[platform][pairs][size] = sum(values) / len(values) / 2
    for row in read('um6p-gromacs.csv'):
        if row['quantity'].startswith('transfer_rate'):
            name = row['platform'] + ('' if row['quantity'].endswith('both_ways') else ' one way')
            rates[name][1][int(row['size_bytes'])] = float(row['value']) / 2
    return rates


RATES = read_rates()


def between(table, size):
    sizes = sorted(table)
    high = next(s for s in sizes if s >= size)
    low = sizes[max(0, sizes.index(high) - 1)]
    w = math.log2(size / low) / math.log2(high / low) if high > low else 0
    return 2 ** ((1 - w) * math.log2(table[low]) + w * math.log2(table[high]))


def rate(platform, processes, size, rates=RATES):
    pairs = min((p for p in rates[platform] if p >= processes), default=max(rates[platform]))
    table = rates[platform][pairs]
    if size <= min(table):
        return table[min(table)] * size / min(table)
    return table[max(table)] if size >= max(table) else between(table, size)


def carried(platform, processes, size):
    """The same; of fewer pairs than processes as much more as they are more, up to the best."""
    pairs, best = max(RATES[platform]), max(max(table.values()) for table in RATES[platform].values())
    found = rate(platform, processes, size)
    if platform + ' one way' in RATES:  # in each direction half of that
        found = max(found, rate(platform + ' one way', processes, size))
    return min(found * processes / pairs, max(best, found)) if processes > pairs else found


def change(old, new, seconds, local, volume, size, processes):
    a, b = rate(old, processes, size), rate(new, processes, size)
    nic = max(0, seconds - local)
    if volume is not None:
        nic = min(nic, volume / 1e6 / a)
    return nic * a / b - nic


# ---- GROMACS

def positive_part(mean, deviation):
    return max(0, mean) if deviation == 0 else mean * NORMAL.cdf(mean / deviation) + deviation * NORMAL.pdf(mean / deviation)


def deviation_of(mean, part):
    if part <= max(mean, 0):
        return 0
    low, high = 0, 1e6
    while high - low > 1e-11 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if positive_part(mean, middle) < part else (low, middle)
    return low


def apart(groups, node):
    """Share of pairs of members of a group, itself counted as a partner, that are on different nodes."""
    pairs = [(i, j) for group in groups for i in group for j in group]
    return sum(node(i) != node(j) for i, j in pairs) / len(pairs)


def gromacs(old, new, run, one):
    n, steps = run['nodes_used', ''], run['phase_calls', 'PME mesh']
    pme, pp = int(run['ranks', 'PME mesh']), int(run['ranks', 'Force'])
    points = run['grid_points', '']
    transposed = 'PME 3D-FFT Comm.'
    rows, columns = (int(run['processes_along', 'PME ' + axis]) for axis in 'xy')
    grid = [range(r * columns, (r + 1) * columns) for r in range(rows)]
    needs = [0, 0]
    for groups in (grid, list(zip(*grid))):
        length = len(groups[0])
        for k, platform in enumerate((old, new)):
            needs[k] += (2 * steps * 4e-6 * points / n * apart(groups, lambda i: i * int(n) // pme) /
                         carried(platform, pme / n, 4 * points / pme / length))
    spent = run['phase_time', transposed] - one['phase_time', transposed] * points / one['grid_points', ''] / n ** 2
    longer = min(needs[0], max(0, spent)) * (needs[1] / needs[0] - 1)
    # Each domain sends to the next lower one along each axis that is divided.
    atoms = run['communicated_atoms', 'force'] / 2
    cells = [int(run['processes_along', 'PP ' + axis]) for axis in 'xyz']
    names = list(itertools.product(*map(range, cells)))
    numbers = {name: k for k, name in enumerate(names)}
    leave = weights = 0
    for axis in range(3):
        if cells[axis] > 1:
            lower = [tuple((x - (k == axis)) % cells[k] for k, x in enumerate(name)) for name in names]
            crossed = sum(numbers[a] * int(n) // pp != numbers[b] * int(n) // pp for a, b in zip(names, lower))
            leave += cells[axis] * crossed / len(names)
            weights += cells[axis]
    volume = steps * 12e-6 * atoms / n * leave / weights
    a, b = (volume / carried(platform, pp / n, 2 * atoms / pp) for platform in (old, new))
    halo = 2 * min(a, run['phase_time', 'Comm. coord.']) * (b / a - 1)
    wait = max(0, run['phase_time', 'Wait + Recv. PME F'] - one['phase_time', 'Wait + Recv. PME F'] / n)
    late = run['phase_time', 'PME mesh'] - sum(run['phase_time', p] for p in
                                               ('Comm. coord.', 'Force', 'Wait + Comm. F', 'NB X/F buffer ops.'))
    deviation = deviation_of(late, wait)
    return halo + positive_part(late + longer - halo, deviation) - positive_part(late, deviation)


# ---- CP2K

def own(run, *beginnings):
    return sum(v for (q, name), v in run.items() if q == 'phase_self_time' and name.startswith(beginnings) and
               not ('cp_fm_' in name and ('redist' in name or 'copy' in name)))


def volume(run, *names):
    return sum(run['call_count', n] * run.get(('call_bytes', n), 0) for n in names)


def cp2k(old, new, run, one):
    processes, each = run['ranks', ''], 32
    n = processes // each
    columns = max(c for c in range(1, math.isqrt(processes) + 1) if processes % c == 0)
    torus = (columns / each) / 2  # rows are shorter than a node: half of the messages go along them
    exchanged = ('DBCSR MP_Alltoall', 'MP_Alltoall')
    sent = min(volume(run, *exchanged) / 2, volume(one, *exchanged) / 2 / n)
    calls = sum(run['call_count', c] for c in exchanged)
    names = ('mp_alltoall', 'mp_allgather')
    total = change(old, new, own(run, *names), own(one, *names) * sent / (volume(one, *exchanged) / 2) / n,
                   each * sent * (1 - 1 / n), sent / calls / processes, each)
    for names, counts in ((('mp_waitall',), ('DBCSR MP_ISend',)),
                          (('mp_waitany', 'mp_isendrecv'), ('MP_ISend', 'MP_ISendRecv'))):
        sent = volume(run, *counts)
        total += change(old, new, own(run, *names), own(one, *names) * sent / volume(one, *counts) * (1 - torus),
                        each * sent * torus, sent / sum(run['call_count', c] for c in counts), each)
    return total + change(old, new, own(run, 'cp_fm_'), own(one, 'cp_fm_') / n, None, 65536, each)


# ---- collective operations of 64 processes on two nodes

def collectives(out):
    one_way = {'impi': collections.defaultdict(lambda: collections.defaultdict(dict)),
               'openmpi': collections.defaultdict(lambda: collections.defaultdict(dict))}
    for row in read('alaska-pairs.csv'):
        table = one_way[row['transport']][row['platform']][int(row['processes']) // 2]
        table[int(row['size_bytes'])] = float(row['value'])
    latency, times = collections.defaultdict(dict), collections.defaultdict(dict)
    for row in read('alaska-collectives.csv'):
        key = row['platform'], row['transport'], row['benchmark']
        (latency if row['benchmark'] == 'osu_latency' else times)[key][int(row['size_bytes'])] = float(row['value'])

    def carries(platform, mpi, pairs, size):
        alone = rate(platform, pairs, size, one_way[mpi])
        return alone if mpi == 'impi' else max(rate(platform, pairs, size), alone / 2)

    def message(platform, mpi, pairs, size):
        return max(between(latency[platform, mpi, 'osu_latency'], size), pairs * size / carries(platform, mpi, pairs, size))

    def network(platform, mpi, operation, n):
        """In a chain of messages, and what the busiest NIC needs for it."""
        if operation == 'osu_allreduce':
            if n < 10000:
                return message(platform, mpi, 32, n), 0
            return 126 / 32 * message(platform, mpi, 1, n / 64), 126 * n / 64 / carries(platform, mpi, 1, n / 64)
        if 64 * n < 50000:
            return message(platform, mpi, 32, 32 * n), 0
        if mpi == 'openmpi':  # with both neighbours in turns: 16 of 32 exchanges of 2 n leave the node, at both ends
            return 16 * message(platform, mpi, 2, 2 * n), 64 * n / carries(platform, mpi, 2, 2 * n)
        return 63 / 32 * message(platform, mpi, 1, n), 63 * n / carries(platform, mpi, 1, n)

    for direction, (old, new) in enumerate((('alaska-ib', 'alaska-roce'), ('alaska-roce', 'alaska-ib'))):
        for (platform, mpi, operation), table in sorted(times.items()):
            for n, time in sorted(table.items()) if platform == old else ():
                if operation == 'osu_alltoall':
                    a, b = 1024 * n / carries(old, mpi, 32, n), 1024 * n / carries(new, mpi, 32, n)
                    time = (max(0, time**2 - a**2) + b**2) ** 0.5
                else:
                    (a, _), (b, busy) = network(old, mpi, operation, n), network(new, mpi, operation, n)
                    time = max(busy, time + min(time, a) * (b / a - 1))
                out.write('%d,%s,%s,%d,%.9g\n' % (direction, mpi, operation, n, time))


# ---- runs

def read_runs(name):
    runs = collections.defaultdict(dict)
    for row in read(name):
        if not row['application'] or row['application'].startswith('OpenFOAM'):
            continue
        run = runs[row['platform'], row['application'], row['source']]
        run[row['quantity'], row['variant']] = float(row['value'])
        if row['quantity'] in ('phase_time', 'execution_time'):
            run['ranks', row['variant']] = int(row['processes'])
    return {(platform, application, run['ranks', '']): run for (platform, application, _), run in runs.items()}


def main():
    with open(os.path.join(HERE, 'collectives.csv'), 'w') as out:
        out.write('# validate --kind collectives: us on alaska-roce from alaska-ib (0), and the reverse (1), from clusters.py\n')
        out.write('direction,transport,benchmark,size,predicted\n')
        collectives(out)
    with open(os.path.join(HERE, 'clusters.csv'), 'w') as out:
        out.write('# validate --kind nics: seconds over RoCE from InfiniBand (0), and the reverse (1), from clusters.py\n')
        out.write('direction,program,processes,from,measured,predicted\n')
        for program, (name, predict) in enumerate((('alaska-gromacs.csv', gromacs), ('alaska-cp2k.csv', cp2k),
                                                   ('um6p-gromacs.csv', gromacs))):
            runs = read_runs(name)
            machine, one = name.split('-')[0], 32 if 'alaska' in name else 56  # processors of a node
            for direction, (old, new) in enumerate(((machine + '-ib', machine + '-roce'), (machine + '-roce', machine + '-ib'))):
                for (platform, application, processes), run in sorted(runs.items()):
                    if platform != old or processes == one or (new, application, processes) not in runs:
                        continue
                    time = run['execution_time', '']
                    there = runs[new, application, processes]['execution_time', '']
                    out.write('%d,%d,%d,%.17g,%.17g,%.12g\n' % (
                        direction, program, processes, time, there,
                        time + predict(old, new, run, runs[old, application, one])))


if __name__ == '__main__':
    main()
