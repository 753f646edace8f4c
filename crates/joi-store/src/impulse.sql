-- A decision of the impulse is written every quarter of an hour, day and night: one page each, without an index and a
-- row of the sequence beside it.
CREATE TABLE impulse_plain (
    id INTEGER PRIMARY KEY,
    at_ms INTEGER NOT NULL,
    record TEXT NOT NULL
) STRICT;
INSERT INTO impulse_plain SELECT id, at_ms, record FROM impulse;
DROP TABLE impulse;
ALTER TABLE impulse_plain RENAME TO impulse;
