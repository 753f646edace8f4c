-- Whose words an entry of a list is made of; until now nobody noted it.
ALTER TABLE note ADD COLUMN origin TEXT NOT NULL DEFAULT 'ours';
