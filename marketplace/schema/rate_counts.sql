-- Every counted request writes a count, and a count is worthless after its window. So the table is
-- not logged, and its pages leave room for the next version of each row.
ALTER TABLE marketplace_ratecount SET UNLOGGED, SET (fillfactor = 50);
