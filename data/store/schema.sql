-- SPDX-License-Identifier: GPL-3.0-or-later
-- A database of the user, or the one that ships. The text of the statements is kept in the file, comments and all, and compared
-- when it is opened: a change is another version (schema.h).

CREATE TABLE source (          -- where numbers come from
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE CHECK (name <> ''),
  kind TEXT NOT NULL CHECK (kind IN ('document', 'log', 'calibration', 'inline')),
  title TEXT NOT NULL CHECK (title <> ''), -- of the document, or what was measured
  table_label TEXT,            -- table of the document, as printed
  section TEXT,                -- section of the document, as printed
  page TEXT,                   -- page of the document, as printed
  file TEXT,                   -- name of the log file
  sha256 TEXT                  -- of the log file
    CHECK (length(sha256) = 64 AND sha256 NOT GLOB '*[^0-9a-f]*'),
  tool TEXT,                   -- that wrote the log or ran the calibration
  tool_version TEXT,
  command TEXT,                -- as it was run
  note TEXT,
  adopted INTEGER NOT NULL DEFAULT 0 -- 1: copy of a reference row, made to be pointed to
    CHECK (adopted IN (0, 1)),
  CHECK (kind <> 'log' OR (file IS NOT NULL AND sha256 IS NOT NULL))
) STRICT;

CREATE TABLE platform (        -- a machine, or a part of one that was measured by itself
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE CHECK (name <> ''),
  title TEXT NOT NULL CHECK (title <> ''),
  nodes INTEGER NOT NULL CHECK (nodes >= 1),
  processors INTEGER NOT NULL CHECK (processors >= 1), -- in use in each node
  nics INTEGER NOT NULL CHECK (nics >= 0),             -- in use in each node
  mapping TEXT CHECK (mapping IN ('pooled', 'static')), -- of processors to NICs
  part_of_id INTEGER           -- samples without application are inherited from it
    REFERENCES platform (id) CHECK (part_of_id <> id),
  counterpart_id INTEGER       -- the NOW of as many processors
    REFERENCES platform (id) CHECK (counterpart_id <> id),
  source_id INTEGER NOT NULL REFERENCES source (id),
  note TEXT,
  adopted INTEGER NOT NULL DEFAULT 0 CHECK (adopted IN (0, 1)) -- as in source
) STRICT;
CREATE INDEX platform_by_part_of ON platform (part_of_id);
CREATE INDEX platform_by_counterpart ON platform (counterpart_id);
CREATE INDEX platform_by_source ON platform (source_id);

CREATE TABLE application (     -- a program with one input
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE CHECK (name <> ''),
  title TEXT NOT NULL CHECK (title <> ''),
  style TEXT                   -- messages pipelined, or waited for; NULL: not known
    CHECK (style IN ('streaming', 'blocking')),
  source_id INTEGER NOT NULL REFERENCES source (id),
  note TEXT,
  adopted INTEGER NOT NULL DEFAULT 0 CHECK (adopted IN (0, 1)) -- as in source
) STRICT;
CREATE INDEX application_by_source ON application (source_id);

CREATE TABLE quantity (        -- what can be measured
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE CHECK (name <> ''),
  unit TEXT NOT NULL,          -- of every sample of this quantity
  meaning TEXT NOT NULL,
  may_be_negative INTEGER NOT NULL CHECK (may_be_negative IN (0, 1)),
  adopted INTEGER NOT NULL DEFAULT 0 CHECK (adopted IN (0, 1)) -- as in source
) STRICT;

CREATE TABLE series (          -- what a run of samples has in common
  id INTEGER PRIMARY KEY,
  platform_id INTEGER REFERENCES platform (id),
  application_id INTEGER REFERENCES application (id),
  quantity_id INTEGER NOT NULL REFERENCES quantity (id),
  source_id INTEGER NOT NULL REFERENCES source (id),
  transport TEXT NOT NULL,     -- 'network', 'shared-memory'...; '' where none applies
  variant TEXT NOT NULL,       -- 'multi-protocol', 'lock-free'...; '' for none
  statistic TEXT NOT NULL      -- what each sample is; variant says which percentile
    CHECK (statistic IN ('single', 'mean', 'median', 'min', 'max', 'percentile')),
  benchmark TEXT NOT NULL,     -- 'osu_bw', 'IMB PingPong'...; '' where none applies
  window INTEGER NOT NULL      -- messages sent before one waits; 0: not known
    CHECK (window >= 0),
  processes INTEGER NOT NULL   -- that took part; 0: not known
    CHECK (processes >= 0),
  CHECK (platform_id IS NOT NULL OR application_id IS NOT NULL)
) STRICT;

CREATE TABLE sample (          -- one measured number; derived ones do not belong here
  series_id INTEGER NOT NULL REFERENCES series (id),
  ordinal INTEGER NOT NULL CHECK (ordinal >= 1),
  run INTEGER NOT NULL         -- repetition within the source; 0: none
    CHECK (run >= 0),
  size_bytes INTEGER CHECK (size_bytes >= 0), -- of the message; NULL where none applies
  value REAL NOT NULL CHECK (abs(value) <= 1.7976931348623157e308),
  iterations INTEGER NOT NULL  -- that the value is taken from; 0: not known
    CHECK (iterations >= 0),
  delay REAL NOT NULL          -- us between two sends; 0: none
    CHECK (delay BETWEEN 0 AND 1.7976931348623157e308),
  half_width REAL CHECK (half_width BETWEEN 0 AND 1.7976931348623157e308), -- 95% interval
  std_dev REAL CHECK (std_dev BETWEEN 0 AND 1.7976931348623157e308),
  doubtful INTEGER NOT NULL DEFAULT 0 CHECK (doubtful IN (0, 1)), -- then note says why
  note TEXT,
  PRIMARY KEY (series_id, ordinal)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX series_identity ON series (ifnull(platform_id, 0),
  ifnull(application_id, 0), quantity_id, transport, variant, statistic, benchmark,
  window, processes, source_id);
CREATE INDEX series_by_platform ON series (platform_id);
CREATE INDEX series_by_application ON series (application_id);
CREATE INDEX series_by_quantity ON series (quantity_id);
CREATE INDEX series_by_source ON series (source_id);
CREATE INDEX source_by_sha256 ON source (sha256) WHERE sha256 IS NOT NULL;

-- What was found from samples, with what it was found from.
CREATE TABLE fit (             -- an application whose description was fitted to its times
  application_id INTEGER PRIMARY KEY REFERENCES application (id),
  fitted_from TEXT             -- the application whose times these were; NULL: no stored one
    CHECK (fitted_from <> ''),
  demand TEXT NOT NULL CHECK (demand IN ('independent', 'correlated', 'scheduled', 'gang')),
  efficiency TEXT NOT NULL     -- form of E(q)
    CHECK (efficiency IN ('inverse', 'power', 'exponential')),
  confidence REAL NOT NULL CHECK (confidence > 0 AND confidence < 1), -- of the intervals
  chi_square REAL NOT NULL CHECK (chi_square BETWEEN 0 AND 1.7976931348623157e308),
  freedom REAL NOT NULL CHECK (freedom BETWEEN 0 AND 1.7976931348623157e308),
  rms_error REAL NOT NULL CHECK (rms_error BETWEEN 0 AND 1.7976931348623157e308)
) STRICT;

CREATE TABLE fit_parameter (   -- one number of a fit
  application_id INTEGER NOT NULL REFERENCES fit (application_id),
  name TEXT NOT NULL CHECK (name <> ''), -- 'U', 's', 'e', 'penalty', 'f', 'V', 'h'
  value REAL NOT NULL CHECK (abs(value) <= 1.7976931348623157e308),
  low REAL CHECK (abs(low) <= 1.7976931348623157e308),  -- interval; NULL: none
  high REAL CHECK (abs(high) <= 1.7976931348623157e308),
  free INTEGER NOT NULL CHECK (free IN (0, 1)), -- 0: was given, not fitted
  PRIMARY KEY (application_id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE fit_run (         -- one time that a fit was made from
  application_id INTEGER NOT NULL REFERENCES fit (application_id),
  ordinal INTEGER NOT NULL CHECK (ordinal >= 1),
  platform TEXT NOT NULL,      -- '' for none
  source TEXT NOT NULL,        -- of the sample; '' for the command line and files
  base TEXT NOT NULL,          -- the NOW it is compared with; '' if there is one only
  processors INTEGER NOT NULL CHECK (processors >= 1),
  nics INTEGER NOT NULL CHECK (nics >= 0),
  mapping TEXT NOT NULL CHECK (mapping IN ('pooled', 'static')),
  max_nics REAL NOT NULL CHECK (max_nics >= 0), -- a processor can drive; 0: no limit
  utilization REAL CHECK (utilization BETWEEN 0 AND 1), -- of this run; NULL: the fit's
  remote_fraction REAL CHECK (remote_fraction BETWEEN 0 AND 1),
  cost_ratio REAL CHECK (cost_ratio BETWEEN 0 AND 1.7976931348623157e308),
  waiting_fraction REAL CHECK (waiting_fraction BETWEEN 0 AND 1),
  base_time REAL NOT NULL CHECK (base_time > 0),  -- s on the NOW, fitted or given
  time REAL NOT NULL CHECK (time > 0),            -- s, measured
  relative_error REAL CHECK (relative_error > 0), -- of it
  fitted_time REAL NOT NULL CHECK (fitted_time > 0), -- s
  PRIMARY KEY (application_id, ordinal)
) STRICT, WITHOUT ROWID;

-- What was predicted before it was measured. Names, not rows: what was said stays, whatever becomes of platforms and applications.
CREATE TABLE frozen (          -- predictions that were kept together
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE CHECK (name <> ''),
  made TEXT NOT NULL CHECK (made <> ''), -- UTC, '2026-11-22T14:30:00Z'
  program TEXT NOT NULL CHECK (program <> ''), -- version of the program
  rules TEXT NOT NULL CHECK (rules <> ''), -- version of the rules, and of their constants
  level REAL NOT NULL CHECK (level > 0 AND level < 1), -- of the intervals
  note TEXT
) STRICT;

CREATE TABLE frozen_prediction ( -- of an application's time on a platform
  frozen_id INTEGER NOT NULL REFERENCES frozen (id),
  ordinal INTEGER NOT NULL CHECK (ordinal >= 1),
  platform TEXT NOT NULL CHECK (platform <> ''),
  application TEXT NOT NULL CHECK (application <> ''),
  base TEXT NOT NULL CHECK (base <> ''), -- the NOW it is compared with
  change TEXT NOT NULL CHECK (change <> ''), -- kind of change: 'shared-nics'...
  inputs TEXT NOT NULL         -- SHA-256 of all that it was predicted from
    CHECK (length(inputs) = 64 AND inputs NOT GLOB '*[^0-9a-f]*'),
  now_time REAL NOT NULL CHECK (now_time > 0 AND now_time <= 1.7976931348623157e308),
  predicted REAL NOT NULL CHECK (predicted > 0 AND predicted <= 1.7976931348623157e308),
  low REAL CHECK (low BETWEEN 0 AND 1.7976931348623157e308),  -- s; NULL: no interval
  high REAL CHECK (high BETWEEN 0 AND 1.7976931348623157e308),
  PRIMARY KEY (frozen_id, ordinal)
) STRICT, WITHOUT ROWID;

-- What a run of a program was recorded to do.
CREATE TABLE recording (       -- an application of which one run was recorded
  application_id INTEGER PRIMARY KEY REFERENCES application (id),
  origin TEXT NOT NULL CHECK (origin IN ('recording', 'otf2', 'goal')),
  program TEXT CHECK (program <> ''),   -- name of the executable; NULL: not known
  command TEXT CHECK (command <> ''),   -- as it was run
  library TEXT CHECK (library <> ''),   -- of MPI
  started TEXT CHECK (started <> ''),   -- UTC, '2026-11-22T14:30:00Z'
  sha256 TEXT -- of its files
    CHECK (length(sha256) = 64 AND sha256 NOT GLOB '*[^0-9a-f]*'),
  notes TEXT CHECK (notes <> ''),       -- what cannot be known, a sentence a line
  ranks INTEGER NOT NULL CHECK (ranks >= 1),
  nodes INTEGER NOT NULL CHECK (nodes >= 1),
  mpi_calls INTEGER NOT NULL CHECK (mpi_calls >= 0), -- of all ranks; 0: not known
  wall REAL CHECK (wall BETWEEN 0 AND 1.7976931348623157e308), -- s, of the rank that took longest
  seconds REAL CHECK (seconds BETWEEN 0 AND 1.7976931348623157e308), -- that its calls took: a sample
  run REAL CHECK (run BETWEEN 0 AND 1.7976931348623157e308), -- s, all of it
  calls TEXT CHECK (calls <> '') -- model/simulation/kept_calls.h; NULL: not kept
) STRICT;
