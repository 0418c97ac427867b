-- A database as version 7 made it, with a recording.
PRAGMA application_id = 1131179376;
PRAGMA user_version = 7;
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
INSERT INTO source VALUES(1,'g.goal a85fb5ae14de','log','A run of tiny with 2 rank(s) on 2 node(s)',NULL,NULL,NULL,'g.goal','a85fb5ae14deb603f224c9509e00fff313ba3ec3af75ba3e51576990b0caa3d4',NULL,NULL,NULL,NULL,0);
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
INSERT INTO application VALUES(1,'tiny','tiny, as it was recorded',NULL,1,NULL,0);
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
CREATE TABLE recording (       -- an application of which one run was recorded
  application_id INTEGER PRIMARY KEY REFERENCES application (id),
  origin TEXT NOT NULL CHECK (origin IN ('recording', 'otf2', 'goal')),
  program TEXT CHECK (program <> ''),   -- name of the executable; NULL: not known
  command TEXT CHECK (command <> ''),   -- as it was run
  library TEXT CHECK (library <> ''),   -- of MPI
  started TEXT CHECK (started <> ''),   -- UTC, '2026-11-22T14:30:00Z'
  wall REAL NOT NULL CHECK (wall BETWEEN 0 AND 1.7976931348623157e308), -- s, of the rank that took longest
  sends REAL NOT NULL CHECK (sends BETWEEN 0 AND 1.7976931348623157e308), -- that no receive was found for
  receives REAL NOT NULL CHECK (receives BETWEEN 0 AND 1.7976931348623157e308), -- and the reverse
  mismatched REAL NOT NULL CHECK (mismatched BETWEEN 0 AND 1.7976931348623157e308) -- calls of collectives
) STRICT;
INSERT INTO recording VALUES(1,'recording',NULL,NULL,NULL,NULL,1.0000000000000001665e-06,0.0,0.0,0.0);
CREATE TABLE recording_file ( -- that the facts are from
  application_id INTEGER NOT NULL REFERENCES recording (application_id),
  ordinal INTEGER NOT NULL CHECK (ordinal >= 1),
  name TEXT NOT NULL CHECK (name <> ''),
  sha256 TEXT NOT NULL CHECK (length(sha256) = 64 AND sha256 NOT GLOB '*[^0-9a-f]*'),
  bytes INTEGER NOT NULL CHECK (bytes >= 0),
  cut_at INTEGER CHECK (cut_at >= 0), -- byte at which it was cut off; NULL: it is whole
  PRIMARY KEY (application_id, ordinal)
) STRICT, WITHOUT ROWID;
INSERT INTO recording_file VALUES(1,1,'g.goal','433f4ad86c649e1545be05e508a3ebab34782a232c01f36f6fa5a64a009f0a3c',96,NULL);
CREATE TABLE recording_node ( -- in the order of their first ranks, from 0
  application_id INTEGER NOT NULL REFERENCES recording (application_id),
  ordinal INTEGER NOT NULL CHECK (ordinal >= 1),
  host TEXT NOT NULL CHECK (host <> ''),
  clock_low REAL CHECK (abs(clock_low) <= 1.7976931348623157e308), -- s that its clock is ahead of the first one's, by messages
  clock_high REAL CHECK (abs(clock_high) <= 1.7976931348623157e308),
  clock_used REAL CHECK (abs(clock_used) <= 1.7976931348623157e308),
  PRIMARY KEY (application_id, ordinal)
) STRICT, WITHOUT ROWID;
INSERT INTO recording_node VALUES(1,1,'?',0.0,0.0,0.0);
INSERT INTO recording_node VALUES(1,2,'?',NULL,NULL,0.0);
CREATE TABLE recording_rank ( -- of MPI_COMM_WORLD, from 0; times in s
  application_id INTEGER NOT NULL REFERENCES recording (application_id),
  ordinal INTEGER NOT NULL CHECK (ordinal >= 1),
  node INTEGER NOT NULL CHECK (node >= 0),
  wall REAL NOT NULL CHECK (wall BETWEEN 0 AND 1.7976931348623157e308),
  computing REAL NOT NULL CHECK (computing BETWEEN 0 AND 1.7976931348623157e308), -- outside MPI
  processor REAL CHECK (processor BETWEEN 0 AND 1.7976931348623157e308), -- time of the processor, outside MPI
  in_mpi REAL NOT NULL CHECK (in_mpi BETWEEN 0 AND 1.7976931348623157e308),
  waiting REAL NOT NULL CHECK (waiting BETWEEN 0 AND 1.7976931348623157e308), -- for a late partner
  waiting_low REAL NOT NULL CHECK (waiting_low BETWEEN 0 AND 1.7976931348623157e308),
  waiting_high REAL NOT NULL CHECK (waiting_high BETWEEN 0 AND 1.7976931348623157e308),
  transferring REAL NOT NULL CHECK (transferring BETWEEN 0 AND 1.7976931348623157e308),
  calls INTEGER NOT NULL CHECK (calls >= 0),
  traced INTEGER NOT NULL CHECK (traced >= 0), -- of the calls
  requests_mean REAL CHECK (requests_mean BETWEEN 0 AND 1.7976931348623157e308), -- in flight
  requests_most INTEGER CHECK (requests_most >= 0),
  ended INTEGER NOT NULL CHECK (ended IN (0, 1)), -- properly
  PRIMARY KEY (application_id, ordinal)
) STRICT, WITHOUT ROWID;
INSERT INTO recording_rank VALUES(1,1,0,1.0000000000000001665e-06,1.0000000000000001665e-06,1.0000000000000001665e-06,0.0,0.0,0.0,0.0,0.0,1,0,0.0,0,1);
INSERT INTO recording_rank VALUES(1,2,1,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,1,0,NULL,0,1);
CREATE TABLE recording_call ( -- calls of a kind of a rank
  application_id INTEGER NOT NULL REFERENCES recording (application_id),
  ordinal INTEGER NOT NULL CHECK (ordinal >= 1),
  rank INTEGER NOT NULL CHECK (rank >= 0),
  kind TEXT NOT NULL CHECK (kind <> ''),
  calls INTEGER NOT NULL CHECK (calls >= 0),
  seconds REAL NOT NULL CHECK (seconds BETWEEN 0 AND 1.7976931348623157e308),
  bytes REAL NOT NULL CHECK (bytes BETWEEN 0 AND 1.7976931348623157e308),
  waiting REAL NOT NULL CHECK (waiting BETWEEN 0 AND 1.7976931348623157e308),
  transferring REAL NOT NULL CHECK (transferring BETWEEN 0 AND 1.7976931348623157e308),
  PRIMARY KEY (application_id, ordinal)
) STRICT, WITHOUT ROWID;
INSERT INTO recording_call VALUES(1,1,0,'send',1,0.0,10.0,0.0,0.0);
INSERT INTO recording_call VALUES(1,2,1,'receive',1,0.0,10.0,0.0,0.0);
CREATE TABLE recording_traffic ( -- messages from rank to rank
  application_id INTEGER NOT NULL REFERENCES recording (application_id),
  ordinal INTEGER NOT NULL CHECK (ordinal >= 1),
  sender INTEGER NOT NULL CHECK (sender >= 0),
  receiver INTEGER NOT NULL CHECK (receiver >= 0),
  kind TEXT NOT NULL CHECK (kind <> ''), -- 'point-to-point', or the collective
  size_limit INTEGER NOT NULL CHECK (size_limit >= 0), -- B, greatest of its class
  messages REAL NOT NULL CHECK (messages BETWEEN 0 AND 1.7976931348623157e308),
  bytes REAL NOT NULL CHECK (bytes BETWEEN 0 AND 1.7976931348623157e308),
  PRIMARY KEY (application_id, ordinal)
) STRICT, WITHOUT ROWID;
INSERT INTO recording_traffic VALUES(1,1,0,1,'point-to-point',16,1.0,10.0);
CREATE TABLE recording_collective ( -- as they were called
  application_id INTEGER NOT NULL REFERENCES recording (application_id),
  ordinal INTEGER NOT NULL CHECK (ordinal >= 1),
  kind TEXT NOT NULL CHECK (kind <> ''),
  communicator INTEGER NOT NULL CHECK (communicator >= 0), -- 0: the world
  members INTEGER NOT NULL CHECK (members >= 1),
  root INTEGER CHECK (root >= 0),
  size_limit INTEGER NOT NULL CHECK (size_limit >= 0),
  calls REAL NOT NULL CHECK (calls BETWEEN 0 AND 1.7976931348623157e308),
  bytes REAL NOT NULL CHECK (bytes BETWEEN 0 AND 1.7976931348623157e308), -- of a member
  PRIMARY KEY (application_id, ordinal)
) STRICT, WITHOUT ROWID;
CREATE TABLE recording_collision ( -- time with q ranks of a node inside MPI
  application_id INTEGER NOT NULL REFERENCES recording (application_id),
  ordinal INTEGER NOT NULL CHECK (ordinal >= 1),
  node INTEGER NOT NULL CHECK (node >= 0),
  q INTEGER NOT NULL CHECK (q >= 0),
  seconds REAL NOT NULL CHECK (seconds BETWEEN 0 AND 1.7976931348623157e308),
  PRIMARY KEY (application_id, ordinal)
) STRICT, WITHOUT ROWID;
CREATE TABLE recording_overlap ( -- ranks of a node that communicate together, if nodes had so many processors
  application_id INTEGER NOT NULL REFERENCES recording (application_id),
  ordinal INTEGER NOT NULL CHECK (ordinal >= 1),
  doing TEXT NOT NULL CHECK (doing IN ('in MPI', 'transferring')),
  processors INTEGER NOT NULL CHECK (processors >= 2),
  start REAL NOT NULL CHECK (start BETWEEN 0 AND 1.7976931348623157e308), -- s
  stop REAL NOT NULL CHECK (stop BETWEEN 0 AND 1.7976931348623157e308),
  seconds REAL NOT NULL CHECK (seconds BETWEEN 0 AND 1.7976931348623157e308), -- of all nodes
  active REAL NOT NULL CHECK (active BETWEEN 0 AND 1.7976931348623157e308), -- integral of q
  squared REAL NOT NULL CHECK (squared BETWEEN 0 AND 1.7976931348623157e308),
  PRIMARY KEY (application_id, ordinal)
) STRICT, WITHOUT ROWID;
CREATE TABLE recording_phase ( -- in which the run behaves alike
  application_id INTEGER NOT NULL REFERENCES recording (application_id),
  ordinal INTEGER NOT NULL CHECK (ordinal >= 1),
  mark TEXT CHECK (mark <> ''), -- of the program; NULL: found in the times
  start REAL NOT NULL CHECK (start BETWEEN 0 AND 1.7976931348623157e308), -- s
  stop REAL NOT NULL CHECK (stop BETWEEN 0 AND 1.7976931348623157e308),
  computing REAL NOT NULL CHECK (computing BETWEEN 0 AND 1.7976931348623157e308), -- sum of all ranks
  in_mpi REAL NOT NULL CHECK (in_mpi BETWEEN 0 AND 1.7976931348623157e308),
  messages REAL NOT NULL CHECK (messages BETWEEN 0 AND 1.7976931348623157e308),
  bytes REAL NOT NULL CHECK (bytes BETWEEN 0 AND 1.7976931348623157e308),
  PRIMARY KEY (application_id, ordinal)
) STRICT, WITHOUT ROWID;
CREATE TABLE recording_note ( -- what cannot be known, or should be
  application_id INTEGER NOT NULL REFERENCES recording (application_id),
  ordinal INTEGER NOT NULL CHECK (ordinal >= 1),
  text TEXT NOT NULL CHECK (text <> ''),
  PRIMARY KEY (application_id, ordinal)
) STRICT, WITHOUT ROWID;
INSERT INTO recording_note VALUES(1,1,'times: a schedule says how long is computed and what is sent, not when; each rank is taken as a node of its own (''simulate --schedule'' runs it)');
CREATE TABLE recording_step ( -- from one thing that a rank receives to the next
  application_id INTEGER NOT NULL REFERENCES recording (application_id),
  ordinal INTEGER NOT NULL CHECK (ordinal >= 1),
  rank INTEGER NOT NULL CHECK (rank >= 0),
  gap_limit INTEGER NOT NULL CHECK (gap_limit >= 0), -- ns, greatest of its class
  steps INTEGER NOT NULL CHECK (steps >= 0),
  before REAL NOT NULL CHECK (before BETWEEN 0 AND 1.7976931348623157e308), -- s outside MPI until its last message was sent
  after REAL NOT NULL CHECK (after BETWEEN 0 AND 1.7976931348623157e308), -- from then on
  messages REAL NOT NULL CHECK (messages BETWEEN 0 AND 1.7976931348623157e308), -- sent
  bytes REAL NOT NULL CHECK (bytes BETWEEN 0 AND 1.7976931348623157e308),
  PRIMARY KEY (application_id, ordinal)
) STRICT, WITHOUT ROWID;
CREATE TABLE recording_stretch ( -- calls of a rank in a part of the run
  application_id INTEGER NOT NULL REFERENCES recording (application_id),
  ordinal INTEGER NOT NULL CHECK (ordinal >= 1),
  rank INTEGER NOT NULL CHECK (rank >= 0),
  seconds REAL NOT NULL CHECK (seconds BETWEEN 0 AND 1.7976931348623157e308), -- of the part
  run REAL NOT NULL CHECK (run BETWEEN 0 AND 1.7976931348623157e308), -- s, all of it
  calls TEXT NOT NULL CHECK (calls <> ''), -- c: computes, ns; s: sends, bytes.rank; r: receives; goes on in the next row of the rank
  PRIMARY KEY (application_id, ordinal)
) STRICT;
INSERT INTO recording_stretch VALUES(1,1,1,0.5,1.0,'r8.0');
INSERT INTO recording_stretch VALUES(1,2,0,0.5,1.0,'c100s8');
INSERT INTO recording_stretch VALUES(1,3,0,0.5,1.0,'.1');
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
