# SPDX-License-Identifier: GPL-3.0-or-later
"""The Python module against values of independent high-precision code, and with wrong questions."""
import doctest
import math
import sys
import time

import clumpmodel


def near(value, expected, tolerance=1e-13):
    assert abs(value - expected) <= tolerance * abs(expected), (value, expected)


def refuses(words, question, status=2):
    try:
        question()
    except clumpmodel.Error as problem:
        assert words in str(problem) and problem.status == status, problem
    else:
        raise AssertionError("expected: " + words)


near(clumpmodel.slowdown(8, 4, 0.1), 0.930580529760505)
near(clumpmodel.slowdown(8, 4, 0.9), 1.80000004357848)
near(clumpmodel.slowdown(8, 4, 0.48, max_nics_per_processor=1), 1.10477750516548)
near(clumpmodel.slowdown(8, 4, 0.48, demand="correlated"), 1.48)
near(clumpmodel.slowdown(8, 4, 0.48, demand="gang:8"), 1.48)
near(clumpmodel.slowdown(2, 1, 0.5, mapping="static"), 1.25)
refuses("utilization", lambda: clumpmodel.slowdown(8, 4, 1.5))
refuses("nics: found 0", lambda: clumpmodel.slowdown(8, 0, 0.5))
for wrong in (2.5, math.nan, math.inf, -1, 1e9):
    refuses("processors: found", lambda: clumpmodel.slowdown(wrong, 4, 0.5))
refuses("demand: found 'all'", lambda: clumpmodel.slowdown(8, 4, 0.5, demand="all"))
refuses("demand: found 'gang:x'", lambda: clumpmodel.slowdown(8, 4, 0.5, demand="gang:x"))
refuses("mapping: found", lambda: clumpmodel.slowdown(8, 4, 0.5, mapping="tied"))
refuses("--processors", lambda: clumpmodel.recommend(processors="many", utilization=0.5))
refuses("demand: found 'correlated:3'", lambda: clumpmodel.slowdown(8, 4, 0.5, demand="correlated:3"))
refuses("demand: found None", lambda: clumpmodel.slowdown(8, 4, 0.5, demand=None))
refuses("mapping: found ['pooled']", lambda: clumpmodel.slowdown(8, 4, 0.5, mapping=["pooled"]))
for wrong in (None, "many", 1 + 2j, {}):
    refuses("processors: found", lambda: clumpmodel.slowdown(wrong, 4, 0.5))
    refuses("utilization: found", lambda: clumpmodel.slowdown(8, 4, wrong))
assert clumpmodel.slowdown("8", 4, "0.5") == clumpmodel.slowdown(8, 4, 0.5)
refuses("found no JSON", lambda: clumpmodel.run("help"), 1)
refuses("/: ", lambda: clumpmodel.run("list", program="/"), 1)
refuses("null byte", lambda: clumpmodel.recommend(processors=8, utilization="0\0"), 1)
refuses("Argument list too long", lambda: clumpmodel.recommend(processors=8, utilization=0.5, nics=range(1, 200000)), 1)
refuses("there is no such program", lambda: clumpmodel.run("list", program="/none"), 1)

answer = clumpmodel.recommend(processors=8, utilization=0.48, nics=[4])
assert answer["max_slowdown"] == 1
some = clumpmodel.rows(clumpmodel.recommend(processors=8, utilization=0.48, nics=[1, 2, 3], definitions=None), frame=False)
assert some == clumpmodel.rows(clumpmodel.recommend(processors=8, utilization=0.48, nics=range(1, 4)), frame=False)
near(clumpmodel.rows(answer, frame=False)[0]["slowdown"], 1.00193123733961)
first = clumpmodel.rows(clumpmodel.predict("figure-8.2", definitions={}), frame=False)[0]
near(first["slowdown"], clumpmodel.slowdown(first["processors"], first["nics"], first["utilization"], demand=first["demand"]))
assert doctest.testmod(clumpmodel).failed == 0

try:
    import numpy
except ImportError:
    sys.exit(0)
found = clumpmodel.slowdown(numpy.array([[8], [2]]), [1, 2, 4], 0.48)
assert found.shape == (2, 3)
for p, P in enumerate((8, 2)):
    for n, N in enumerate((1, 2, 4)):
        assert found[p, n] == clumpmodel.slowdown(P, N, 0.48)
refuses("value 1:", lambda: clumpmodel.slowdown(8, 4, [0.1, 2]))
refuses("processors: found nan", lambda: clumpmodel.slowdown(numpy.array([8, math.nan]), 4, 0.1))
assert clumpmodel.slowdown(8, 4, numpy.empty(0)).shape == (0,)
assert some == clumpmodel.rows(clumpmodel.recommend(processors=8, utilization=0.48, nics=numpy.arange(1, 4)), frame=False)
for wrong in (["1", "2"], [1 + 2j], numpy.ma.array([0.1, 0.2], mask=[0, 1]), [None, {}]):
    refuses("utilization: found", lambda: clumpmodel.slowdown(8, 4, numpy.ma.asanyarray(wrong)))
refuses("arrays: shape mismatch", lambda: clumpmodel.slowdown(8, [1, 2], [0.1, 0.2, 0.3]))
if "--bench" in sys.argv:
    utilizations = numpy.random.default_rng(1).random(1000000)
    began = time.perf_counter()
    clumpmodel.slowdown(8, 4, utilizations)
    print("%.3g slowdowns a second" % (1e6 / (time.perf_counter() - began)))
