-- The plan so far that a job's plans begin with, where it is not to search from the start.
ALTER TABLE searches ADD COLUMN begun TEXT;
