/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/store/schema.h"

#include <stdio.h>

/* Comments are stored with the tables: `.schema` explains a database by itself. */
static const char *const statements[] = {
    "CREATE TABLE source (          -- where numbers come from\n"
    "  id INTEGER PRIMARY KEY,\n"
    "  name TEXT NOT NULL UNIQUE CHECK (name <> ''),\n"
    "  kind TEXT NOT NULL CHECK (kind IN ('document', 'log', 'calibration', 'inline')),\n"
    "  title TEXT NOT NULL CHECK (title <> ''), -- of the document, or what was measured\n"
    "  table_label TEXT,            -- table of the document, as printed\n"
    "  section TEXT,                -- section of the document, as printed\n"
    "  page TEXT,                   -- page of the document, as printed\n"
    "  file TEXT,                   -- name of the log file\n"
    "  sha256 TEXT                  -- of the log file\n"
    "    CHECK (length(sha256) = 64 AND sha256 NOT GLOB '*[^0-9a-f]*'),\n"
    "  tool TEXT,                   -- that wrote the log or ran the calibration\n"
    "  tool_version TEXT,\n"
    "  command TEXT,                -- as it was run\n"
    "  note TEXT,\n"
    "  adopted INTEGER NOT NULL DEFAULT 0 -- 1: copy of a reference row, made to be pointed to\n"
    "    CHECK (adopted IN (0, 1)),\n"
    "  CHECK (kind <> 'log' OR (file IS NOT NULL AND sha256 IS NOT NULL))\n"
    ") STRICT;\n",
    "CREATE TABLE platform (        -- a machine, or a part of one that was measured by itself\n"
    "  id INTEGER PRIMARY KEY,\n"
    "  name TEXT NOT NULL UNIQUE CHECK (name <> ''),\n"
    "  title TEXT NOT NULL CHECK (title <> ''),\n"
    "  nodes INTEGER NOT NULL CHECK (nodes >= 1),\n"
    "  processors INTEGER NOT NULL CHECK (processors >= 1), -- in use in each node\n"
    "  nics INTEGER NOT NULL CHECK (nics >= 0),             -- in use in each node\n"
    "  mapping TEXT CHECK (mapping IN ('pooled', 'static')), -- of processors to NICs\n"
    "  part_of_id INTEGER           -- samples without application are inherited from it\n"
    "    REFERENCES platform (id) CHECK (part_of_id <> id),\n"
    "  counterpart_id INTEGER       -- the NOW of as many processors\n"
    "    REFERENCES platform (id) CHECK (counterpart_id <> id),\n"
    "  source_id INTEGER NOT NULL REFERENCES source (id),\n"
    "  note TEXT,\n"
    "  adopted INTEGER NOT NULL DEFAULT 0 CHECK (adopted IN (0, 1)) -- as in source\n"
    ") STRICT;\n"
    "CREATE INDEX platform_by_part_of ON platform (part_of_id);\n"
    "CREATE INDEX platform_by_counterpart ON platform (counterpart_id);\n"
    "CREATE INDEX platform_by_source ON platform (source_id);\n",
    "CREATE TABLE application (     -- a program with one input\n"
    "  id INTEGER PRIMARY KEY,\n"
    "  name TEXT NOT NULL UNIQUE CHECK (name <> ''),\n"
    "  title TEXT NOT NULL CHECK (title <> ''),\n"
    "  style TEXT                   -- messages pipelined, or waited for; NULL: not known\n"
    "    CHECK (style IN ('streaming', 'blocking')),\n"
    "  source_id INTEGER NOT NULL REFERENCES source (id),\n"
    "  note TEXT,\n"
    "  adopted INTEGER NOT NULL DEFAULT 0 CHECK (adopted IN (0, 1)) -- as in source\n"
    ") STRICT;\n"
    "CREATE INDEX application_by_source ON application (source_id);\n",
    "CREATE TABLE quantity (        -- what can be measured\n"
    "  id INTEGER PRIMARY KEY,\n"
    "  name TEXT NOT NULL UNIQUE CHECK (name <> ''),\n"
    "  unit TEXT NOT NULL,          -- of every sample of this quantity\n"
    "  meaning TEXT NOT NULL,\n"
    "  may_be_negative INTEGER NOT NULL CHECK (may_be_negative IN (0, 1)),\n"
    "  adopted INTEGER NOT NULL DEFAULT 0 CHECK (adopted IN (0, 1)) -- as in source\n"
    ") STRICT;\n",
    "CREATE TABLE series (          -- what a run of samples has in common\n"
    "  id INTEGER PRIMARY KEY,\n"
    "  platform_id INTEGER REFERENCES platform (id),\n"
    "  application_id INTEGER REFERENCES application (id),\n"
    "  quantity_id INTEGER NOT NULL REFERENCES quantity (id),\n"
    "  source_id INTEGER NOT NULL REFERENCES source (id),\n"
    "  transport TEXT NOT NULL,     -- 'network', 'shared-memory'...; '' where none applies\n"
    "  variant TEXT NOT NULL,       -- 'multi-protocol', 'lock-free'...; '' for none\n"
    "  statistic TEXT NOT NULL      -- what each sample is; variant says which percentile\n"
    "    CHECK (statistic IN ('single', 'mean', 'median', 'min', 'max', 'percentile')),\n"
    "  benchmark TEXT NOT NULL,     -- 'osu_bw', 'IMB PingPong'...; '' where none applies\n"
    "  window INTEGER NOT NULL      -- messages sent before one waits; 0: not known\n"
    "    CHECK (window >= 0),\n"
    "  processes INTEGER NOT NULL   -- that took part; 0: not known\n"
    "    CHECK (processes >= 0),\n"
    "  CHECK (platform_id IS NOT NULL OR application_id IS NOT NULL)\n"
    ") STRICT;\n",
    "CREATE TABLE sample (          -- one measured number; derived ones do not belong here\n"
    "  series_id INTEGER NOT NULL REFERENCES series (id),\n"
    "  ordinal INTEGER NOT NULL CHECK (ordinal >= 1),\n"
    "  run INTEGER NOT NULL         -- repetition within the source; 0: none\n"
    "    CHECK (run >= 0),\n"
    "  size_bytes INTEGER CHECK (size_bytes >= 0), -- of the message; NULL where none applies\n"
    "  value REAL NOT NULL CHECK (abs(value) <= 1.7976931348623157e308),\n"
    "  iterations INTEGER NOT NULL  -- that the value is taken from; 0: not known\n"
    "    CHECK (iterations >= 0),\n"
    "  delay REAL NOT NULL          -- us between two sends; 0: none\n"
    "    CHECK (delay BETWEEN 0 AND 1.7976931348623157e308),\n"
    "  half_width REAL CHECK (half_width BETWEEN 0 AND 1.7976931348623157e308), -- 95% interval\n"
    "  std_dev REAL CHECK (std_dev BETWEEN 0 AND 1.7976931348623157e308),\n"
    "  doubtful INTEGER NOT NULL DEFAULT 0 CHECK (doubtful IN (0, 1)), -- then note says why\n"
    "  note TEXT,\n"
    "  PRIMARY KEY (series_id, ordinal)\n"
    ") STRICT, WITHOUT ROWID;\n",
    "CREATE UNIQUE INDEX series_identity ON series (ifnull(platform_id, 0),\n"
    "  ifnull(application_id, 0), quantity_id, transport, variant, statistic, benchmark,\n"
    "  window, processes, source_id);\n"
    "CREATE INDEX series_by_platform ON series (platform_id);\n"
    "CREATE INDEX series_by_application ON series (application_id);\n"
    "CREATE INDEX series_by_quantity ON series (quantity_id);\n"
    "CREATE INDEX series_by_source ON series (source_id);\n"
    "CREATE INDEX source_by_sha256 ON source (sha256) WHERE sha256 IS NOT NULL;\n",
    /* What was found from samples, with what it was found from. */
    "CREATE TABLE fit (             -- an application whose description was fitted to its times\n"
    "  application_id INTEGER PRIMARY KEY REFERENCES application (id),\n"
    "  fitted_from TEXT             -- the application whose times these were; NULL: no stored "
    "one\n"
    "    CHECK (fitted_from <> ''),\n"
    "  demand TEXT NOT NULL CHECK (demand IN ('independent', 'correlated', 'scheduled', "
    "'gang')),\n"
    "  efficiency TEXT NOT NULL     -- form of E(q)\n"
    "    CHECK (efficiency IN ('inverse', 'power', 'exponential')),\n"
    "  confidence REAL NOT NULL CHECK (confidence > 0 AND confidence < 1), -- of the intervals\n"
    "  chi_square REAL NOT NULL CHECK (chi_square BETWEEN 0 AND 1.7976931348623157e308),\n"
    "  freedom REAL NOT NULL CHECK (freedom BETWEEN 0 AND 1.7976931348623157e308),\n"
    "  rms_error REAL NOT NULL CHECK (rms_error BETWEEN 0 AND 1.7976931348623157e308)\n"
    ") STRICT;\n",
    "CREATE TABLE fit_parameter (   -- one number of a fit\n"
    "  application_id INTEGER NOT NULL REFERENCES fit (application_id),\n"
    "  name TEXT NOT NULL CHECK (name <> ''), -- 'U', 's', 'e', 'penalty', 'f', 'V', 'h'\n"
    "  value REAL NOT NULL CHECK (abs(value) <= 1.7976931348623157e308),\n"
    "  low REAL CHECK (abs(low) <= 1.7976931348623157e308),  -- interval; NULL: none\n"
    "  high REAL CHECK (abs(high) <= 1.7976931348623157e308),\n"
    "  free INTEGER NOT NULL CHECK (free IN (0, 1)), -- 0: was given, not fitted\n"
    "  PRIMARY KEY (application_id, name)\n"
    ") STRICT, WITHOUT ROWID;\n",
    "CREATE TABLE fit_run (         -- one time that a fit was made from\n"
    "  application_id INTEGER NOT NULL REFERENCES fit (application_id),\n"
    "  ordinal INTEGER NOT NULL CHECK (ordinal >= 1),\n"
    "  platform TEXT NOT NULL,      -- '' for none\n"
    "  source TEXT NOT NULL,        -- of the sample; '' for the command line and files\n"
    "  base TEXT NOT NULL,          -- the NOW it is compared with; '' if there is one only\n"
    "  processors INTEGER NOT NULL CHECK (processors >= 1),\n"
    "  nics INTEGER NOT NULL CHECK (nics >= 0),\n"
    "  mapping TEXT NOT NULL CHECK (mapping IN ('pooled', 'static')),\n"
    "  max_nics REAL NOT NULL CHECK (max_nics >= 0), -- a processor can drive; 0: no limit\n"
    "  utilization REAL CHECK (utilization BETWEEN 0 AND 1), -- of this run; NULL: the fit's\n"
    "  remote_fraction REAL CHECK (remote_fraction BETWEEN 0 AND 1),\n"
    "  cost_ratio REAL CHECK (cost_ratio BETWEEN 0 AND 1.7976931348623157e308),\n"
    "  waiting_fraction REAL CHECK (waiting_fraction BETWEEN 0 AND 1),\n"
    "  base_time REAL NOT NULL CHECK (base_time > 0),  -- s on the NOW, fitted or given\n"
    "  time REAL NOT NULL CHECK (time > 0),            -- s, measured\n"
    "  relative_error REAL CHECK (relative_error > 0), -- of it\n"
    "  fitted_time REAL NOT NULL CHECK (fitted_time > 0), -- s\n"
    "  PRIMARY KEY (application_id, ordinal)\n"
    ") STRICT, WITHOUT ROWID;\n",
    /* What was predicted before it was measured. Names, not rows: what was said stays,
     * whatever becomes of platforms and applications. */
    "CREATE TABLE frozen (          -- predictions that were kept together\n"
    "  id INTEGER PRIMARY KEY,\n"
    "  name TEXT NOT NULL UNIQUE CHECK (name <> ''),\n"
    "  made TEXT NOT NULL CHECK (made <> ''), -- UTC, '2026-11-22T14:30:00Z'\n"
    "  program TEXT NOT NULL CHECK (program <> ''), -- version of the program\n"
    "  rules TEXT NOT NULL CHECK (rules <> ''), -- version of the rules, and of their constants\n"
    "  level REAL NOT NULL CHECK (level > 0 AND level < 1), -- of the intervals\n"
    "  note TEXT\n"
    ") STRICT;\n",
    "CREATE TABLE frozen_prediction ( -- of an application's time on a platform\n"
    "  frozen_id INTEGER NOT NULL REFERENCES frozen (id),\n"
    "  ordinal INTEGER NOT NULL CHECK (ordinal >= 1),\n"
    "  platform TEXT NOT NULL CHECK (platform <> ''),\n"
    "  application TEXT NOT NULL CHECK (application <> ''),\n"
    "  base TEXT NOT NULL CHECK (base <> ''), -- the NOW it is compared with\n"
    "  change TEXT NOT NULL CHECK (change <> ''), -- kind of change: 'shared-nics'...\n"
    "  inputs TEXT NOT NULL         -- SHA-256 of all that it was predicted from\n"
    "    CHECK (length(inputs) = 64 AND inputs NOT GLOB '*[^0-9a-f]*'),\n"
    "  now_time REAL NOT NULL CHECK (now_time > 0 AND now_time <= 1.7976931348623157e308),\n"
    "  predicted REAL NOT NULL CHECK (predicted > 0 AND predicted <= 1.7976931348623157e308),\n"
    "  low REAL CHECK (low BETWEEN 0 AND 1.7976931348623157e308),  -- s; NULL: no interval\n"
    "  high REAL CHECK (high BETWEEN 0 AND 1.7976931348623157e308),\n"
    "  PRIMARY KEY (frozen_id, ordinal)\n"
    ") STRICT, WITHOUT ROWID;\n",
    /* What a run of a program was recorded to do. */
    "CREATE TABLE recording (       -- an application of which one run was recorded\n"
    "  application_id INTEGER PRIMARY KEY REFERENCES application (id),\n"
    "  origin TEXT NOT NULL CHECK (origin IN ('recording', 'otf2', 'goal')),\n"
    "  program TEXT CHECK (program <> ''),   -- name of the executable; NULL: not known\n"
    "  command TEXT CHECK (command <> ''),   -- as it was run\n"
    "  library TEXT CHECK (library <> ''),   -- of MPI\n"
    "  started TEXT CHECK (started <> ''),   -- UTC, '2026-11-22T14:30:00Z'\n"
    "  sha256 TEXT -- of its files\n"
    "    CHECK (length(sha256) = 64 AND sha256 NOT GLOB '*[^0-9a-f]*'),\n"
    "  notes TEXT CHECK (notes <> ''),       -- what cannot be known, a sentence a line\n"
    "  ranks INTEGER NOT NULL CHECK (ranks >= 1),\n"
    "  nodes INTEGER NOT NULL CHECK (nodes >= 1),\n"
    "  mpi_calls INTEGER NOT NULL CHECK (mpi_calls >= 0), -- of all ranks; 0: not known\n"
    "  wall REAL CHECK (wall BETWEEN 0 AND 1.7976931348623157e308), -- s, of the rank that took "
    "longest\n"
    "  seconds REAL CHECK (seconds BETWEEN 0 AND 1.7976931348623157e308), -- that its calls took: "
    "a sample\n"
    "  run REAL CHECK (run BETWEEN 0 AND 1.7976931348623157e308), -- s, all of it\n"
    "  calls TEXT CHECK (calls <> '') -- model/simulation/kept_calls.h; NULL: not kept\n"
    ") STRICT;\n",
};

static int read_number(sqlite3 *db, const char *sql, int64_t *number)
{
    sqlite3_stmt *statement = NULL;
    int rc = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    if (rc != SQLITE_OK)
        return rc;
    int64_t found = 0;
    rc = sqlite3_step(statement);
    if (rc == SQLITE_ROW) {
        found = sqlite3_column_int64(statement, 0);
        rc = SQLITE_OK;
    }
    const int end = sqlite3_finalize(statement);
    if (rc == SQLITE_OK)
        *number = found;
    return rc == SQLITE_OK || rc == SQLITE_DONE ? end : rc;
}

static int inspect(sqlite3 *db, clump_schema_finding *finding)
{
    clump_schema_finding found = {CLUMP_SCHEMA_FOREIGN, 0, 0};
    int rc = read_number(db, "PRAGMA main.application_id", &found.application_id);
    if (rc == SQLITE_OK)
        rc = read_number(db, "PRAGMA main.user_version", &found.version);
    if (rc != SQLITE_OK)
        return rc;
    if (found.application_id == CLUMP_SCHEMA_APPLICATION_ID) {
        found.state =
            found.version == CLUMP_SCHEMA_VERSION ? CLUMP_SCHEMA_CURRENT : CLUMP_SCHEMA_OTHER;
    } else if (found.application_id == 0 && found.version == 0) {
        int64_t objects = 0;
        rc = read_number(db, "SELECT count(*) FROM (SELECT 1 FROM main.sqlite_schema LIMIT 1)",
                         &objects);
        if (rc != SQLITE_OK)
            return rc;
        found.state = objects == 0 ? CLUMP_SCHEMA_EMPTY : CLUMP_SCHEMA_FOREIGN;
    }
    *finding = found;
    return SQLITE_OK;
}

/* What is asked one after the other must be of one moment: another process may just be making it.
 * The application id is set once, so that it tells whether that happened in between. */
int clump_schema_inspect(sqlite3 *db, clump_schema_finding *finding)
{
    int64_t application_id = 0;
    int rc;
    do {
        rc = inspect(db, finding);
        if (rc == SQLITE_OK)
            rc = read_number(db, "PRAGMA main.application_id", &application_id);
    } while (rc == SQLITE_OK && application_id != finding->application_id);
    return rc;
}

int clump_schema_make(sqlite3 *db)
{
    char pragmas[128];
    snprintf(pragmas, sizeof pragmas,
             "PRAGMA main.application_id = %lld; PRAGMA main.user_version = %d;",
             (long long)CLUMP_SCHEMA_APPLICATION_ID, CLUMP_SCHEMA_VERSION);
    int rc = sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
    if (rc != SQLITE_OK)
        return rc;
    /* Asked again under the lock: another process may just have made it. */
    int64_t version = 0;
    rc = read_number(db, "PRAGMA main.user_version", &version);
    for (size_t i = 0; i < sizeof statements / sizeof *statements && version == 0; i++)
        if (rc == SQLITE_OK)
            rc = sqlite3_exec(db, statements[i], NULL, NULL, NULL);
    if (rc == SQLITE_OK && version == 0)
        rc = sqlite3_exec(db, pragmas, NULL, NULL, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
    if (rc != SQLITE_OK && sqlite3_get_autocommit(db) == 0)
        sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    return rc;
}
