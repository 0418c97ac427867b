#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What `clumpmodel validate` must print for tables 7.7 to 7.9 of the thesis, calculated from the printed tables.

Shares no code and no numbers with the program: the tables were typed in once more, and times are added up in
seconds, where the program works with shares and slowdowns.  Needs nothing but Python 3.  Writes validation.csv, and
prints the errors of every variant and those of terms that were tried and left out (MODEL.md).
"""
import math
import os

HERE = os.path.dirname(os.path.abspath(__file__))

# Table 7.6, multi-protocol columns: L, o_s, o_r, g in us, G in us/B.
MYRINET = (12.56, 3.463, 8.93, 14.51, 31.208e-3)
MEMORY = (-0.52, 2.135, 1.73, 3.251, 6.30e-3)
PENALTY = 51 / 44  # table 5.4, cycles of a miss at the same clock
KB = 1024

# Table 5.6: short messages, bulk messages, bytes of each; table 7.7: multi-protocol SMP, NOW, and its interval.
ONE_SMP = {
    'SAMPLE': ((76517, 5, 29), 0.773, 1.50),
    'CON/comp': ((11900, 18, 16), 1.073, 1.095),
    'CON/comm': ((106925, 365, 16), 1.74, 3.755),
    '3-D FFT': ((3647, 3584, 2 * KB), 0.666, 0.770),
    'EM3D': ((141448, 0, 0), 0.667, 4.01),
}
# Tables 5.7 (remote), 5.8 (local), 7.8; and largest numbers of short messages.
CLUMP = {
    'SAMPLE': ((65608, 4, 96), (19119, 3, 29), 3.33, 2.46, 76458, 21591),
    'CON/comp': ((5991, 10, 16), (5889, 6, 16), 1.416, 1.22, 6500, 6410),
    'CON/comm': ((67588, 290, 16), (50677, 130, 16), 7.19, 6.72, 199747, 80666),
    '3-D FFT': ((966, 768, 2 * KB), (282, 224, 2 * KB), 0.481, 0.31, 1164, 620),
    'EM3D/naive': ((60856, 0, 0), (101220, 0, 0), 3.654, 4.93, 81580, 122670),
    'EM3D/good': ((40560, 0, 0), (121432, 0, 0), 3.402, 5.39, 81750, 122210),
}
HALF_CLUMP = {'SAMPLE': (1.76, 2.01), 'CON/comp': (1.128, 1.110), 'CON/comm': (4.18, 4.76), '3-D FFT': (0.504, 0.518)}
WAITS = {'SAMPLE': 0, 'CON/comp': 1, 'CON/comm': 1, '3-D FFT': 0, 'EM3D': 1, 'EM3D/naive': 1, 'EM3D/good': 1}

# name: waiting, memory, computation known, bus, lockstep, correlated
VARIANTS = {
    'full': (1, 1, 1, 1, 1, 1),
    'no-waiting': (0, 1, 1, 1, 1, 1),
    'no-memory': (1, 0, 1, 1, 1, 1),
    'no-computation': (1, 1, 0, 1, 1, 1),
    'no-bus': (1, 1, 1, 0, 1, 1),
    'no-lockstep': (1, 1, 1, 1, 0, 1),
    'independent': (1, 1, 1, 1, 1, 0),
    'chapter-8': (0, 0, 0, 0, 0, 1),
    'chapter-8-independent': (0, 0, 0, 0, 0, 0),
}


def seconds(traffic, protocol, waits, directions):
    """NIC time and time of waiting; messages and bytes in all bulk messages."""
    latency, send, receive, gap, per_byte = protocol
    short, bulk, size = traffic
    busy = gap * (short + bulk) + directions * per_byte * bulk * max(size - 1, 0)
    return busy * 1e-6, waits * short * max(send + latency + receive - gap, 0) * 1e-6


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


def computation(name, processors):
    """Seconds that the processors of an SMP compute, from the run on one SMP; the FFT is the only fixed problem."""
    base = name.split('/')[0] if name.startswith('EM3D') else name
    traffic, smp_time, _ = ONE_SMP[base]
    return (smp_time - sum(seconds(traffic, MEMORY, WAITS[base], 1))) * (8 / processors if name == '3-D FFT' else 1)


def predict(name, remote, local, now, sharing, compute, variant):
    waiting, memory, known, bus, lockstep, correlated = variant
    if lockstep and name == '3-D FFT' and remote != (0, 0, 0):  # every step lasts as long as a remote one
        remote, local = (remote[0] + local[0], remote[1] + local[1], remote[2]), (0, 0, 0)
    waits, directions = WAITS[name] * waiting, 2 if bus else 1
    far, near = seconds(remote, MYRINET, waits, directions), seconds(local, MYRINET, waits, directions)
    rest = now - sum(far) - sum(near)
    assert rest >= 0, (name, variant)
    computing = min(compute / PENALTY, rest) if known and compute else rest
    alone = rest + (computing * (PENALTY - 1) if memory else 0) + sum(seconds(local, MEMORY, waits, 1)) + sum(far)
    return together(alone, far[0], sharing, correlated)


def runs():
    nothing = (0, 0, 0)
    for name, (traffic, smp, now) in ONE_SMP.items():
        yield 7.7, name, nothing, traffic, smp, now, 2, None
    for name, (remote, local, clump, now, _, _) in CLUMP.items():
        yield 7.8, name, remote, local, clump, now, 2, computation(name, 32)
    for name, (clump, now) in HALF_CLUMP.items():
        remote, local = traffic_of_16(name)
        yield 7.9, name, remote, local, clump, now, 1, computation(name, 16)


# ---- terms that were tried and left out ----

def interleaved(name, remote, local, now, sharing, compute):
    """Waits overlap with the NIC's work for the others: inside a phase, a closed network of their own."""
    base = predict(name, remote, local, now, 1, compute, VARIANTS['full'])
    if name == '3-D FFT' and remote != (0, 0, 0):
        remote = (remote[0] + local[0], remote[1] + local[1], remote[2])
    busy, idle = seconds(remote, MYRINET, WAITS[name], 2)
    share = busy / (busy + idle) if busy else 0
    return base + (sharing - 1) * busy * share  # X of two customers: 1 + share, by mean value analysis


def proportional_stalls(name, remote, local, now, sharing, compute):
    """What is neither computation nor communication shrinks and grows with communication."""
    waits = WAITS[name]
    far, near = sum(seconds(remote, MYRINET, waits, 1)), sum(seconds(local, MYRINET, waits, 1))
    busy = seconds(remote, MYRINET, waits, 1)[0]
    after = far + (sharing - 1) * busy + sum(seconds(local, MEMORY, waits, 1))
    compute = compute if compute else (now - far - near) * PENALTY
    return compute + (now - compute / PENALTY) * after / (far + near)


def slowest(name, remote, local, now, sharing, compute):
    """The processor that sends most, beside a mean one; its messages may not take longer than the NOW did."""
    if sharing == 1 or remote == (0, 0, 0):
        return float('nan')
    most = CLUMP[name][4:6]
    waits = WAITS[name]
    far = seconds((most[0],) + remote[1:], MYRINET, waits, 2)
    near = sum(seconds((most[1],) + local[1:], MYRINET, waits, 2))
    fits = min(1, (now - compute / PENALTY) / (sum(far) + near))
    other = seconds(remote, MYRINET, waits, 2)[0]
    rest = now - fits * (sum(far) + near)
    near_here = sum(seconds((most[1],) + local[1:], MEMORY, waits, 1))
    return rest + min(compute / PENALTY, rest) * (PENALTY - 1) + near_here + fits * (sum(far) + other)


LEFT_OUT = {'waits interleave': interleaved, 'stalls in proportion': proportional_stalls, 'slowest processor': slowest}


def report(title, errors):
    shown = ' '.join('%6s' % ('-' if math.isnan(e) else '%+.1f' % (100 * e)) for _, e in errors)
    means = []
    for table in (7.7, 7.8, 7.9):
        part = [abs(e) for t, e in errors if t == table and not math.isnan(e)]
        means.append('%5.1f' % (100 * sum(part) / len(part)) if part else '    -')
    print('%-26s %s | %s' % (title, shown, ' '.join(means)))


def main():
    cases = list(runs())
    with open(os.path.join(HERE, 'validation.csv'), 'w') as out:
        out.write('# Tables 7.7 to 7.9: predicted seconds by variant, from validation.py\n')
        out.write('table,run,measured,now,' + ','.join('v%d' % i for i in range(6)) + '\n')
        # two lines a run: GOLDEN_COLUMNS is 10
        for i, (table, name, remote, local, measured, now, sharing, compute) in enumerate(cases):
            times = [predict(name, remote, local, now, sharing, compute, v) for v in VARIANTS.values()]
            out.write(','.join('%.17g' % x for x in [table, i, measured, now] + times[:6]) + '\n')
            out.write(','.join('%.17g' % x for x in [table, i, measured, now] + times[6:]) + '\n')
    print('%26s %s | 7.7   7.8   7.9' % ('', ' '.join('%6.6s' % c[1].replace('EM3D/', 'EM/') for c in cases)))
    for title, variant in VARIANTS.items():
        report(title, [(c[0], predict(c[1], c[2], c[3], c[5], c[6], c[7], variant) / c[4] - 1) for c in cases])
    print('left out:')
    for title, term in LEFT_OUT.items():
        report(title, [(c[0], term(c[1], c[2], c[3], c[5], c[6], c[7]) / c[4] - 1) for c in cases])


if __name__ == '__main__':
    main()
