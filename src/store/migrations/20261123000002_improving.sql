-- The plan that a job is to shorten, where it is not to search from the start.
ALTER TABLE searches ADD COLUMN improve TEXT;
-- When a best known plan was found, and by whom.
ALTER TABLE plans ADD COLUMN found_ms BIGINT;
ALTER TABLE plans ADD COLUMN found_by TEXT;
