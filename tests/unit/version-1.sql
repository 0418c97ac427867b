-- A data base as version 1 made it.
PRAGMA application_id = 1131179376;
PRAGMA user_version = 1;
BEGIN TRANSACTION;
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
INSERT INTO "platform" VALUES(1,'lab','A lab',2,4,1,NULL,NULL,NULL,1,NULL,0);
CREATE TABLE quantity (        -- what can be measured
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE CHECK (name <> ''),
  unit TEXT NOT NULL,          -- of every sample of this quantity
  meaning TEXT NOT NULL,
  may_be_negative INTEGER NOT NULL CHECK (may_be_negative IN (0, 1)),
  adopted INTEGER NOT NULL DEFAULT 0 CHECK (adopted IN (0, 1)) -- as in source
) STRICT;
INSERT INTO "quantity" VALUES(1,'gap','us','g of LogGP: time per short message in a long burst of requests and their replies',0,1);
CREATE TABLE sample (          -- one measured number; derived ones do not belong here
  series_id INTEGER NOT NULL REFERENCES series (id),
  ordinal INTEGER NOT NULL CHECK (ordinal >= 1),
  size_bytes INTEGER CHECK (size_bytes >= 0), -- of the message; NULL where none applies
  value REAL NOT NULL CHECK (abs(value) <= 1.7976931348623157e308),
  half_width REAL CHECK (half_width BETWEEN 0 AND 1.7976931348623157e308), -- 95% interval
  std_dev REAL CHECK (std_dev BETWEEN 0 AND 1.7976931348623157e308),
  doubtful INTEGER NOT NULL DEFAULT 0 CHECK (doubtful IN (0, 1)), -- then note says why
  note TEXT,
  PRIMARY KEY (series_id, ordinal)
) STRICT, WITHOUT ROWID;
INSERT INTO "sample" VALUES(1,1,NULL,1.5,NULL,NULL,0,NULL);
INSERT INTO "sample" VALUES(1,2,NULL,2.25,NULL,NULL,0,'second');
CREATE TABLE series (          -- what a run of samples has in common
  id INTEGER PRIMARY KEY,
  platform_id INTEGER REFERENCES platform (id),
  application_id INTEGER REFERENCES application (id),
  quantity_id INTEGER NOT NULL REFERENCES quantity (id),
  source_id INTEGER NOT NULL REFERENCES source (id),
  transport TEXT NOT NULL,     -- 'network', 'shared-memory'...; '' where none applies
  variant TEXT NOT NULL,       -- 'multi-protocol', 'lock-free'...; '' for none
  statistic TEXT NOT NULL      -- what each sample is
    CHECK (statistic IN ('single', 'mean', 'min', 'max')),
  CHECK (platform_id IS NOT NULL OR application_id IS NOT NULL)
) STRICT;
INSERT INTO "series" VALUES(1,1,NULL,1,1,'tcp','','single');
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
INSERT INTO "source" VALUES(1,'notes','inline','By hand',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0);
CREATE INDEX platform_by_part_of ON platform (part_of_id);
CREATE INDEX platform_by_counterpart ON platform (counterpart_id);
CREATE INDEX platform_by_source ON platform (source_id);
CREATE INDEX application_by_source ON application (source_id);
CREATE UNIQUE INDEX series_identity ON series (ifnull(platform_id, 0),
  ifnull(application_id, 0), quantity_id, transport, variant, statistic, source_id);
CREATE INDEX series_by_platform ON series (platform_id);
CREATE INDEX series_by_application ON series (application_id);
CREATE INDEX series_by_quantity ON series (quantity_id);
CREATE INDEX series_by_source ON series (source_id);
COMMIT;
