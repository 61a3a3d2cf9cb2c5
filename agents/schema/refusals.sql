-- Refusals are counted often and kept for a day. So the table is not logged, and its pages leave
-- room for the next version of each row.
ALTER TABLE agents_refusal SET UNLOGGED, SET (fillfactor = 50);
