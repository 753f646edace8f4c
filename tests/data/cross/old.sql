-- A database as the program wrote it before it had a memory (schema version 3): one exchange, what was set, a list
-- and an alarm. scripts/test-cross.py opens it with both programs.
CREATE TABLE message (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    channel TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('user', 'assistant')),
    text TEXT NOT NULL
) STRICT;
CREATE INDEX message_by_time ON message (at_ms);
CREATE TABLE turn (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at_ms INTEGER NOT NULL,
    record TEXT NOT NULL
) STRICT;
CREATE INDEX turn_by_time ON turn (at_ms);
CREATE TABLE setting (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE note (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    list TEXT NOT NULL,
    text TEXT NOT NULL,
    at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX note_by_list ON note (list);
CREATE TABLE schedule (id INTEGER PRIMARY KEY AUTOINCREMENT, entry TEXT NOT NULL) STRICT;
INSERT INTO message (channel, at_ms, role, text) VALUES
    ('voice', 1780000000000, 'user', 'the boiler in the cellar is broken, Jürgen says'),
    ('voice', 1780000002000, 'assistant', 'Oh. I hope that he can mend it.');
INSERT INTO setting VALUES ('dialogue.calls', 'a stranger said this');
INSERT INTO note (list, text, at_ms) VALUES
    ('shopping', 'milk', 1780000003000),
    ('shopping', 'Müsli', 1780000004000);
INSERT INTO schedule (entry) VALUES
    ('{"id":1,"kind":"alarm","name":"bake bread","set_at":"2026-05-28T20:26:40Z","due":{"wall":"2099-01-05T06:30:00"},"days":31,"state":{"is":"waiting"}}');
PRAGMA user_version = 3;
