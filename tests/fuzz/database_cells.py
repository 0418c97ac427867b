#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""database_cells.py CLUMPMODEL DATABASE COMMANDS [TABLE...]: for database_cells.sh."""
import re
import shutil
import sqlite3
import subprocess
import sys

program, database, commands, wanted = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
BAD = {
    "REAL": [9e999, -9e999, 1.7e308, 1e300, -1.0, 0.0, 5e-324, None],
    "INTEGER": [0, -1, 2**62, -(2**62), 2**31, None],
    "TEXT": ["", "\x1b[31m", "\u009b31m", "\u202e", "a" * 5000, "9" * 21, None],
    "BLOB": [b"", b"\xff" * 10, None],
}
INFINITE = re.compile(r"(?<![\w/.-])[-+]?(inf|nan)(?![\w-])")
COMMANDS = [line.split() for line in open(commands)]


def alter(table, column, value):
    """In all rows; in one, where it has to be unique. False: not even that."""
    shutil.copy(database, "now.db")
    db = sqlite3.connect("now.db")
    db.execute("pragma foreign_keys = off")
    db.execute("pragma ignore_check_constraints = on")
    for end in ("", f' where rowid = (select min(rowid) from "{table}")'):
        try:
            db.execute(f'update "{table}" set "{column}" = ?{end}', (value,))
            db.commit()
            return True
        except sqlite3.Error:
            db.rollback()
    return False


def judge(command):
    ran = subprocess.run([program, *command, "--db", "now.db"], capture_output=True, stdin=subprocess.DEVNULL, timeout=600)
    out, err = ran.stdout.decode(errors="replace"), ran.stderr.decode(errors="replace")
    if "Sanitizer" in err or "runtime error" in err:
        return next(line for line in err.splitlines() if "Sanitizer" in line or "runtime error" in line)
    if ran.returncode not in (0, 1, 2):
        return f"status {ran.returncode}"
    if ran.returncode == 0 and INFINITE.search(out):
        return "infinite: " + next(line for line in out.splitlines() if INFINITE.search(line))[:150]
    if re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", out):
        return "characters that command the terminal"
    return None


passed = failed = 0
db = sqlite3.connect(database)
for (table,) in db.execute("select name from sqlite_schema where type = 'table' and name not like 'sqlite%'").fetchall():
    if wanted and table not in wanted:
        continue
    for _, column, kind, *_ in db.execute(f'pragma table_info("{table}")').fetchall():
        for value in BAD.get(kind, BAD["BLOB"]):
            if not alter(table, column, value):
                continue
            for command in COMMANDS:
                wrong = judge(command)
                passed += wrong is None
                if wrong is not None:
                    failed += 1
                    print(f"not ok - {table}.{column} = {str(value)[:20]!r}: {' '.join(command)}: {wrong}", flush=True)
print(f"hostile databases: {passed} passed, {failed} failed")
sys.exit(failed > 0 or passed == 0)
