-- Counts are written with every counted request and worth nothing after their window: no log, and
-- room for the next version of a row beside it.
ALTER TABLE marketplace_ratecount SET UNLOGGED, SET (fillfactor = 50);
