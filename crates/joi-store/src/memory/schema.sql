-- What is remembered beyond the dialogue, and the words of both for full-text search.
CREATE TABLE memory (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    text TEXT NOT NULL,
    source TEXT NOT NULL
) STRICT;
CREATE INDEX memory_by_kind ON memory (kind, at_ms);

CREATE TABLE vector (memory INTEGER PRIMARY KEY, model TEXT NOT NULL, value BLOB NOT NULL) STRICT;

-- The texts stand in the tables themselves; here are only the words. What is taken out is overwritten at once.
CREATE VIRTUAL TABLE memory_words USING fts5 (
    text, content = 'memory', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 0'
);
CREATE VIRTUAL TABLE message_words USING fts5 (
    text, content = 'message', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 0'
);
INSERT INTO memory_words (memory_words, rank) VALUES ('secure-delete', 1);
INSERT INTO message_words (message_words, rank) VALUES ('secure-delete', 1);

CREATE TRIGGER memory_added AFTER INSERT ON memory BEGIN
    INSERT INTO memory_words (rowid, text) VALUES (new.id, new.text);
END;
CREATE TRIGGER memory_gone AFTER DELETE ON memory BEGIN
    INSERT INTO memory_words (memory_words, rowid, text) VALUES ('delete', old.id, old.text);
    DELETE FROM vector WHERE memory = old.id;
END;
CREATE TRIGGER memory_changed AFTER UPDATE OF text ON memory BEGIN
    INSERT INTO memory_words (memory_words, rowid, text) VALUES ('delete', old.id, old.text);
    INSERT INTO memory_words (rowid, text) VALUES (new.id, new.text);
    DELETE FROM vector WHERE memory = old.id;
END;

-- Only messages of the user: the assistant's answers are no evidence.
CREATE TRIGGER message_added AFTER INSERT ON message WHEN new.role = 'user' BEGIN
    INSERT INTO message_words (rowid, text) VALUES (new.id, new.text);
END;
CREATE TRIGGER message_gone AFTER DELETE ON message WHEN old.role = 'user' BEGIN
    INSERT INTO message_words (message_words, rowid, text) VALUES ('delete', old.id, old.text);
END;
CREATE TRIGGER message_changed AFTER UPDATE OF text ON message WHEN old.role = 'user' BEGIN
    INSERT INTO message_words (message_words, rowid, text) VALUES ('delete', old.id, old.text);
    INSERT INTO message_words (rowid, text) VALUES (new.id, new.text);
END;
INSERT INTO message_words (rowid, text) SELECT id, text FROM message WHERE role = 'user';
