-- A database as version 4 made it.
PRAGMA application_id = 1131179376;
PRAGMA user_version = 4;
BEGIN TRANSACTION;
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
INSERT INTO source VALUES(1,'rtt.csv a3072fd004c0','log','Samples (CSV)',NULL,NULL,NULL,'rtt.csv','a3072fd004c0844b993cf1ba52d895b45b58e07883e349e703155df31a33cc16',NULL,NULL,NULL,NULL,0);
INSERT INTO source VALUES(2,'fit-mine','inline','Fitted to 5 times',NULL,NULL,NULL,'runs.csv','412cf07cdf6323f8de9095d71b05a6912a70b97332652731d6b15c8f13ada903','clumpmodel fit slowdown','0.1.0','clumpmodel fit slowdown --file runs.csv --name mine',NULL,0);
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
INSERT INTO platform VALUES(1,'lab','lab',1,1,1,NULL,NULL,NULL,1,NULL,0);
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
INSERT INTO application VALUES(1,'mine','Fitted to 5 times',NULL,2,NULL,0);
CREATE TABLE quantity (        -- what can be measured
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE CHECK (name <> ''),
  unit TEXT NOT NULL,          -- of every sample of this quantity
  meaning TEXT NOT NULL,
  may_be_negative INTEGER NOT NULL CHECK (may_be_negative IN (0, 1)),
  adopted INTEGER NOT NULL DEFAULT 0 CHECK (adopted IN (0, 1)) -- as in source
) STRICT;
INSERT INTO quantity VALUES(1,'round_trip_time','us','RTT: time from a request to its reply, short messages',0,1);
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
INSERT INTO series VALUES(1,1,NULL,1,1,'','','single','',0,0);
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
INSERT INTO sample VALUES(1,1,1,NULL,10.0,0,0.0,NULL,NULL,0,NULL);
INSERT INTO sample VALUES(1,2,1,NULL,11.0,0,0.0,NULL,NULL,0,NULL);
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
INSERT INTO fit VALUES(1,NULL,'independent','inverse',0.94999999999999995559,0.087334038923945894739,3.0,0.13264812355644439723);
CREATE TABLE fit_parameter (   -- one number of a fit
  application_id INTEGER NOT NULL REFERENCES fit (application_id),
  name TEXT NOT NULL CHECK (name <> ''), -- 'U', 's', 'e', 'penalty', 'f', 'V', 'h'
  value REAL NOT NULL CHECK (abs(value) <= 1.7976931348623157e308),
  low REAL CHECK (abs(low) <= 1.7976931348623157e308),  -- interval; NULL: none
  high REAL CHECK (abs(high) <= 1.7976931348623157e308),
  free INTEGER NOT NULL CHECK (free IN (0, 1)), -- 0: was given, not fitted
  PRIMARY KEY (application_id, name)
) STRICT, WITHOUT ROWID;
INSERT INTO fit_parameter VALUES(1,'U',0.5102467086395494622,0.1670861713035687035,1.0,1);
INSERT INTO fit_parameter VALUES(1,'V',1.0,NULL,NULL,0);
INSERT INTO fit_parameter VALUES(1,'e',0.0,NULL,NULL,0);
INSERT INTO fit_parameter VALUES(1,'f',1.0,NULL,NULL,0);
INSERT INTO fit_parameter VALUES(1,'h',0.0,NULL,NULL,0);
INSERT INTO fit_parameter VALUES(1,'penalty',1.0,NULL,NULL,0);
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
INSERT INTO fit_run VALUES(1,1,'','','',1,1,'pooled',0.0,NULL,NULL,NULL,NULL,12.118247562804908667,10.0,NULL,12.118247562804908667);
INSERT INTO fit_run VALUES(1,2,'','','',2,1,'pooled',0.0,NULL,NULL,NULL,NULL,12.118247562804908667,14.0,NULL,15.27325396136679636);
INSERT INTO fit_run VALUES(1,3,'','','',4,1,'pooled',0.0,NULL,NULL,NULL,NULL,12.118247562804908667,25.0,NULL,25.073816252633893241);
INSERT INTO fit_run VALUES(1,4,'','','',4,2,'pooled',0.0,NULL,NULL,NULL,NULL,12.118247562804908667,15.0,NULL,13.544378846024637041);
INSERT INTO fit_run VALUES(1,5,'','','',4,4,'pooled',0.0,NULL,NULL,NULL,NULL,12.118247562804908667,10.499999999999999999,NULL,8.7699613043745650031);
CREATE TABLE frozen (          -- predictions that were kept together
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE CHECK (name <> ''),
  made TEXT NOT NULL CHECK (made <> ''), -- UTC, '2026-11-22T14:30:00Z'
  program TEXT NOT NULL CHECK (program <> ''), -- version of the program
  rules TEXT NOT NULL CHECK (rules <> ''), -- version of the rules, and of their constants
  level REAL NOT NULL CHECK (level > 0 AND level < 1), -- of the intervals
  note TEXT
) STRICT;
INSERT INTO frozen VALUES(1,'soon','2026-11-22T14:30:00Z','0.9.0','9 abc',0.9000000000000000222,NULL);
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
INSERT INTO frozen_prediction VALUES(1,1,'lab','mine','now','shared-nics','0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',10.0,12.5,11.0,14.0);
CREATE INDEX platform_by_part_of ON platform (part_of_id);
CREATE INDEX platform_by_counterpart ON platform (counterpart_id);
CREATE INDEX platform_by_source ON platform (source_id);
CREATE INDEX application_by_source ON application (source_id);
CREATE UNIQUE INDEX series_identity ON series (ifnull(platform_id, 0),
  ifnull(application_id, 0), quantity_id, transport, variant, statistic, benchmark,
  window, processes, source_id);
CREATE INDEX series_by_platform ON series (platform_id);
CREATE INDEX series_by_application ON series (application_id);
CREATE INDEX series_by_quantity ON series (quantity_id);
CREATE INDEX series_by_source ON series (source_id);
CREATE INDEX source_by_sha256 ON source (sha256) WHERE sha256 IS NOT NULL;
COMMIT;
