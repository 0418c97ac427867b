# SPDX-License-Identifier: GPL-3.0-or-later
"""How much slower or faster an application runs if the processors of a node share network interfaces (NICs).

Slowdowns come from libclumpmodel itself, for numbers or for arrays of numpy::

    >>> import clumpmodel
    >>> round(clumpmodel.slowdown(8, 4, 0.48), 4)
    1.0019

Everything else asks the program ``clumpmodel`` and returns what it prints as JSON (a dict), or its rows (a list of
dicts, a DataFrame of pandas if that is there)::

    >>> answer = clumpmodel.recommend(cores="2x64", mpi_share="35%", measured_nics=2, nics="1,2,4")
    >>> [row["correlated"] for row in clumpmodel.rows(answer, frame=False)]
    [1.35, 1.0, 0.825]

Neither numpy nor pandas is needed. CLUMPMODEL_LIBRARY and CLUMPMODEL_PROGRAM name the library and the program if they
are not where the system looks.
"""

import ctypes
import ctypes.util
import json
import math
import os
import subprocess
from typing import Any, Dict, List, Optional, Union

try:
    import numpy
except ImportError:
    numpy = None

__all__ = ["Error", "slowdown", "recommend", "predict", "explore", "fit", "record", "run", "rows"]

Number = Union[float, "numpy.ndarray"]


class Error(Exception):
    """What the library or the program says is wrong; `status` is its exit code, 2 for a mistake of the question."""

    def __init__(self, message: str, status: int = 1):
        super().__init__(message)
        self.status = status


# ---- the library

_MESSAGE = 256
_DEMANDS = {"independent": 0, "correlated": 1, "scheduled": 2, "gang": 3}
_MAPPINGS = {"pooled": 0, "static": 1}


class _Question(ctypes.Structure):  # clump_plain_question
    _fields_ = [("processors", ctypes.c_size_t), ("nics", ctypes.c_size_t), ("utilization", ctypes.c_double),
                ("max_nics_per_processor", ctypes.c_double), ("gang_size", ctypes.c_double),
                ("remote_fraction", ctypes.c_double), ("cost_ratio", ctypes.c_double),
                ("demand", ctypes.c_int32), ("mapping", ctypes.c_int32)]


class _Error(ctypes.Structure):  # clump_error
    _fields_ = [("status", ctypes.c_int), ("message", ctypes.c_char * _MESSAGE)]


_loaded = None


def _library() -> ctypes.CDLL:
    global _loaded
    if _loaded is None:
        name = os.environ.get("CLUMPMODEL_LIBRARY") or ctypes.util.find_library("clumpmodel") or "libclumpmodel.so.0"
        try:
            _loaded = ctypes.CDLL(name)
        except OSError as problem:
            raise Error("%s; install libclumpmodel, or name it in CLUMPMODEL_LIBRARY" % problem) from None
    return _loaded


def _ask(questions: Any, slowdowns: Any, count: int) -> None:
    error, done = _Error(), ctypes.c_size_t(0)
    if _library().clump_slowdowns(questions, ctypes.c_size_t(count), slowdowns, ctypes.byref(done), ctypes.byref(error)):
        place = "" if count == 1 else "value %d: " % done.value
        raise Error(place + error.message.decode("utf-8", "replace"), 2)


def _word(name: str, word: Any, words: Dict[str, int]) -> int:
    if not isinstance(word, str) or word not in words:
        raise Error("%s: found %r, expected one of %s" % (name, word, ", ".join(sorted(words))), 2)
    return words[word]


def _real(name: str, value: Any) -> Any:
    """A float, or an array of them."""
    try:
        if numpy is None or numpy.ndim(value) == 0:
            return float(value)
        array = numpy.asanyarray(value)
        if array.dtype.kind not in "biufO" or numpy.ma.is_masked(array):
            raise TypeError
        return array.astype(float)
    except (TypeError, ValueError):
        raise Error("%s: found %.80r, expected a number or an array of numbers" % (name, value), 2) from None


def _whole(name: str, value: float) -> None:
    if not (1 <= value <= 1e8 and value == int(value)):
        raise Error("%s: found %r, expected a whole number, 1 to 100000000" % (name, int(value) if math.isfinite(value) and value == int(value) else float(value)), 2)


def slowdown(processors: Number, nics: Number, utilization: Number, demand: str = "independent",
             mapping: str = "pooled", max_nics_per_processor: Optional[Number] = None,
             remote_fraction: Number = 1.0, cost_ratio: Number = 1.0) -> Number:
    """Execution time on nodes whose processors share NICs over that with a NIC for each processor.

    processors, nics        P and N of a node, whole numbers from 1
    utilization             U: share of its time that a processor communicates with a NIC of its own, 0 to 1
    demand                  when processors communicate: "independent", "correlated" (all at once, as in collectives),
                            "scheduled" (by the best plan) or "gang:S" (groups of S together)
    mapping                 "pooled" (every processor uses all NICs) or "static" (each is tied to one)
    max_nics_per_processor  NICs that one processor keeps busy, at least 1; None: all
    remote_fraction         f: share of the communication that leaves the node, 0 to 1
    cost_ratio              V: cost of communication within the node over that between nodes

    Numbers may be arrays of numpy, which are broadcast against each other; then the result is one. Raises Error.
    """
    kind, colon, size = demand.partition(":") if isinstance(demand, str) else (demand, "", "")
    code = _word("demand", kind if kind == "gang" or not colon else demand, _DEMANDS)
    try:
        gang = float(size) if kind == "gang" else 1.0
    except ValueError:
        raise Error("demand: found %r, expected a number after the colon, such as gang:2.5" % demand, 2) from None
    layout = _word("mapping", mapping, _MAPPINGS)
    most = 0 if max_nics_per_processor is None else max_nics_per_processor
    values = tuple(_real(name, value) for (name, _), value in zip(
        _Question._fields_, (processors, nics, utilization, most, gang, remote_fraction, cost_ratio)))
    if all(isinstance(value, float) for value in values):
        _whole("processors", values[0])
        _whole("nics", values[1])
        question = _Question(int(values[0]), int(values[1]), *values[2:], code, layout)
        result = ctypes.c_double()
        _ask(ctypes.byref(question), ctypes.byref(result), 1)
        return result.value
    try:
        shape = numpy.broadcast(*values).shape
    except ValueError as problem:
        raise Error("arrays: %s" % problem, 2) from None
    questions = numpy.empty(shape, dtype=numpy.dtype(_Question))
    for name, value in zip(("processors", "nics"), values):
        for each in numpy.unique(value):
            _whole(name, each)
    for (name, _), value in zip(_Question._fields_, values + (code, layout)):
        questions[name] = value
    result = numpy.empty(shape)
    _ask(questions.ctypes.data_as(ctypes.c_void_p), result.ctypes.data_as(ctypes.c_void_p), result.size)
    return result


# ---- the program

def run(command: str, *operands: Any, **options: Any) -> Dict[str, Any]:
    """`clumpmodel COMMAND OPERANDS --options --format json`, as a dict.

    An option is written with "_" for "-"; True is an option without a value, None and False leave it out, a list, a range
    or an array is written with commas, and a dict is `definitions`: -D name=value. `program` names another program than
    clumpmodel.
    """
    words: List[str] = [options.pop("program", None) or os.environ.get("CLUMPMODEL_PROGRAM", "clumpmodel")]
    words += command.split()
    for name, value in (options.pop("definitions", None) or {}).items():
        words += ["-D", "%s=%s" % (name, value)]
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if value is True:
            words.append(option)
        elif value is not None and value is not False:
            listed = hasattr(value, "__iter__") and not isinstance(value, (str, bytes, os.PathLike))
            words.append(option + "=" + ",".join(str(each) for each in (value if listed else [value])))
    words += ["--format", "json", "--quiet", "--"] + [os.fspath(each) if isinstance(each, os.PathLike) else str(each)
                                                     for each in operands]
    try:
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    except FileNotFoundError:
        raise Error("%s: there is no such program; install clumpmodel, or name it in CLUMPMODEL_PROGRAM" % words[0]) \
            from None
    except (OSError, ValueError) as problem: # such as one that cannot be run, too many arguments, or a NUL in them
        raise Error("%s: %s" % (words[0], problem)) from None
    if done.returncode:
        raise Error(done.stderr.decode("utf-8", "replace").strip(), done.returncode)
    try:
        return json.loads(done.stdout) if done.stdout.strip() else {}
    except ValueError:
        raise Error("%s: found no JSON in its answer, expected a command with results" % command) from None


def rows(answer: Dict[str, Any], frame: bool = True) -> Any:
    """The rows of an answer: a DataFrame of pandas if it is there and `frame` is true, else a list of dicts."""
    found = next((value for value in answer.values() if isinstance(value, list)), [])
    if frame:
        try:
            import pandas
            return pandas.DataFrame(found)
        except ImportError:
            pass
    return found


def recommend(**options: Any) -> Dict[str, Any]:
    """How many NICs a node needs, such as recommend(processors=8, utilization=0.48, nics=[1, 2, 4])."""
    return run("recommend", **options)


def predict(scenario: Any, **options: Any) -> Dict[str, Any]:
    """The rows of a scenario: a file, or the name of one that ships with the program."""
    return run("predict", scenario, **options)


def explore(scenario: Any, **options: Any) -> Dict[str, Any]:
    """A scenario over many values, such as explore("gpu-node", max_slowdown=1.05)."""
    return run("explore", scenario, **options)


def fit(what: str, *operands: Any, **options: Any) -> Dict[str, Any]:
    """Parameters from measurements: `what` is "loggp", "node" or "slowdown"; db="mine.db" names the database."""
    return run("fit " + what, *operands, **options)


def record(folder: Any, **options: Any) -> Dict[str, Any]:
    """What a recording of an MPI program holds (a folder of `clumpmodel record`): shares, counts, bytes."""
    return run("record", report=os.fspath(folder), **options)
