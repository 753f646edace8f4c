-- Whose words an entry of a list is made of. Until now nobody noted it, so that of older ones nothing safer can be assumed
-- than that a stranger wrote them.
ALTER TABLE note ADD COLUMN origin TEXT NOT NULL DEFAULT 'unknown';
