#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Put what commands print now into documents that show it: after a change of output, or of the errors of the
model (make model-error). Look at the difference before committing it.

usage: tests/docs/update.py CLUMPMODEL DOCUMENT...

What run.sh does not compare is left alone; where "..." stands for lines, those that are shown are replaced by the
ones that look most alike, and none is added.
"""
import difflib
import functools
import os
import re
import subprocess
import sys
import tempfile

TOP = os.path.realpath(os.path.join(os.path.dirname(__file__), "../.."))
NOT_RUN = re.compile(r"make check|sudo |git clone|cd |make bench")


def without_blank_end(lines):
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    return lines


def matches(want, have):
    @functools.lru_cache(None)
    def ok(i, j):
        if i == len(want):
            return j == len(have)
        if want[i] == "...":
            return any(ok(i + 1, k) for k in range(j, len(have) + 1))
        return j < len(have) and want[i] == have[j] and ok(i + 1, j + 1)

    return ok(0, 0)


def replace(want, have):
    if "..." not in want:
        return have
    lines, at = [], 0
    for line in want:
        if line != "..." and at < len(have):
            at = max(range(at, len(have)), key=lambda k:
                     difflib.SequenceMatcher(None, line, have[k]).ratio() - 0.02 * (k - at))
            line, at = have[at], at + 1
        lines.append(line)
    return lines


def run(command, tree, environment):
    done = subprocess.run(["bash", "-c", command], cwd=tree, env=environment, capture_output=True,
                          text=True, stdin=subprocess.DEVNULL, check=False)
    return without_blank_end((done.stderr if done.returncode == 2 else done.stdout).split("\n"))


def update(document, program):
    sys.setrecursionlimit(10000)
    place = tempfile.mkdtemp(prefix="clumpmodel-docs-")
    tree = os.path.join(place, "tree")
    os.mkdir(tree)
    for name in os.listdir(TOP):
        if not name.startswith("."):
            os.symlink(os.path.join(TOP, name), os.path.join(tree, name))
    environment = dict(os.environ, COLUMNS="100", LC_ALL="C.UTF-8", HOME=place, XDG_DATA_HOME=place,
                       PATH=os.path.dirname(program) + ":" + os.environ["PATH"])
    with open(document, encoding="utf-8") as file:
        lines = file.read().split("\n")
    made, at, inside = [], 0, False
    while at < len(lines):
        line = lines[at]
        made.append(line)
        at += 1
        inside = line == "```console" or (inside and line != "```")
        if not inside or not line.startswith("$ "):
            continue
        end = at
        while lines[end] != "```" and not lines[end].startswith("$ "):
            end += 1
        want, command = without_blank_end(lines[at:end]), line[2:]
        blank, at = lines[at + len(want):end], end
        if not NOT_RUN.match(command):
            have = run(command, tree, environment)
            if want and not matches(tuple(want), tuple(have)):
                print(f"{document}: {command}")
                want = replace(want, have)
        made += want + blank
    with open(document, "w", encoding="utf-8") as file:
        file.write("\n".join(made))


if len(sys.argv) < 3:
    sys.exit(__doc__)
for name in sys.argv[2:]:
    update(name, os.path.realpath(sys.argv[1]))
