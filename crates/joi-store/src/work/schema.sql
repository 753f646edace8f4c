-- Goals, their tasks, and the assistant above them. What a row means is joi-goals' business.
CREATE TABLE IF NOT EXISTS work (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    parent INTEGER NOT NULL DEFAULT 0,
    name TEXT NOT NULL,
    brief TEXT NOT NULL,
    status TEXT NOT NULL,
    tools TEXT NOT NULL,
    checks_per_day INTEGER NOT NULL,
    origin TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    active_ms INTEGER NOT NULL,
    status_ms INTEGER NOT NULL,
    woken INTEGER NOT NULL DEFAULT 0,
    locked_ms INTEGER,
    run INTEGER,
    failure TEXT NOT NULL DEFAULT '',
    attempts INTEGER NOT NULL DEFAULT 0,
    retry_ms INTEGER
) STRICT;
-- One pass of an agent over its messages.
CREATE TABLE IF NOT EXISTS work_run (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    work INTEGER NOT NULL,
    mode TEXT NOT NULL,
    began_ms INTEGER NOT NULL,
    ended_ms INTEGER,
    ending TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX IF NOT EXISTS work_run_by_time ON work_run (began_ms);
-- What the owner sees of an agent.
CREATE TABLE IF NOT EXISTS work_cell (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    work INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    author TEXT NOT NULL,
    kind TEXT NOT NULL,
    text TEXT NOT NULL,
    origin TEXT NOT NULL,
    channel TEXT NOT NULL,
    processed INTEGER NOT NULL,
    run INTEGER,
    archive INTEGER
) STRICT;
CREATE INDEX IF NOT EXISTS work_cell_by_work ON work_cell (work, id);
-- Every call and every result, never shown.
CREATE TABLE IF NOT EXISTS work_step (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    work INTEGER NOT NULL,
    run INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    role TEXT NOT NULL,
    text TEXT NOT NULL,
    origin TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS work_step_by_work ON work_step (work, id);
CREATE TABLE IF NOT EXISTS work_note (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    work INTEGER NOT NULL,
    kind TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    text TEXT NOT NULL,
    source TEXT NOT NULL,
    origin TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS work_note_by_work ON work_note (work, kind, id);
CREATE TABLE IF NOT EXISTS work_archive (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    work INTEGER NOT NULL,
    began_ms INTEGER NOT NULL,
    ended_ms INTEGER NOT NULL,
    reason TEXT NOT NULL,
    messages INTEGER NOT NULL,
    calls INTEGER NOT NULL,
    summary TEXT NOT NULL,
    full_text TEXT NOT NULL,
    origin TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS work_archive_by_work ON work_archive (work, id);
CREATE VIRTUAL TABLE IF NOT EXISTS work_archive_words USING fts5 (
    summary, full_text, content = 'work_archive', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 0'
);
INSERT INTO work_archive_words (work_archive_words, rank) VALUES ('secure-delete', 1);
CREATE TRIGGER IF NOT EXISTS work_archive_added AFTER INSERT ON work_archive BEGIN
    INSERT INTO work_archive_words (rowid, summary, full_text) VALUES (new.id, new.summary, new.full_text);
END;
CREATE TRIGGER IF NOT EXISTS work_archive_gone AFTER DELETE ON work_archive BEGIN
    INSERT INTO work_archive_words (work_archive_words, rowid, summary, full_text)
    VALUES ('delete', old.id, old.summary, old.full_text);
END;
-- One row for each call of a model, without a word of it.
CREATE TABLE IF NOT EXISTS model_usage (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at_ms INTEGER NOT NULL,
    work INTEGER NOT NULL,
    agent TEXT NOT NULL,
    purpose TEXT NOT NULL,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    tokens_in INTEGER NOT NULL,
    tokens_out INTEGER NOT NULL,
    took_ms INTEGER NOT NULL,
    cost_micros INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS model_usage_by_time ON model_usage (at_ms);
