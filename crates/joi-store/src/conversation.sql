-- Several conversations beside each other: every message belongs to one, and tells whose words it is made of.
ALTER TABLE message ADD COLUMN place TEXT NOT NULL DEFAULT 'home';
ALTER TABLE message ADD COLUMN origin TEXT NOT NULL DEFAULT 'stranger';
UPDATE message SET origin = CASE
    WHEN role = 'assistant' THEN 'ours' WHEN channel = 'voice' THEN 'speech' ELSE 'typing' END;

CREATE TABLE conversation (
    channel TEXT NOT NULL,
    place TEXT NOT NULL,
    tool_history TEXT NOT NULL,
    PRIMARY KEY (channel, place)
) STRICT;
-- What was answered lately in a tainted conversation may go back to strangers.
UPDATE message SET origin = 'stranger' WHERE role = 'assistant'
    AND at_ms > (SELECT max(at_ms) FROM message) - 86400000
    AND EXISTS (SELECT 1 FROM setting WHERE key = 'dialogue.calls' AND value LIKE '%"is_tainted":true%');

-- Before, voice and console shared one history: both go on with it.
INSERT INTO conversation SELECT 'voice', 'home', value FROM setting WHERE key = 'dialogue.calls' AND value <> '';
INSERT INTO conversation SELECT 'console', 'home', value FROM setting WHERE key = 'dialogue.calls' AND value <> '';
DELETE FROM setting WHERE key = 'dialogue.calls';
