-- What she does by herself: decisions to speak up or be silent, alarms, what is known of the house.
CREATE TABLE IF NOT EXISTS impulse (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at_ms INTEGER NOT NULL,
    record TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS impulse_by_time ON impulse (at_ms);
CREATE TABLE IF NOT EXISTS alert (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at_ms INTEGER NOT NULL,
    alert TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS context_state (id INTEGER PRIMARY KEY CHECK (id = 1), state TEXT NOT NULL) STRICT;
