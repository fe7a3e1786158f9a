-- The id of the request that asked for a job, for the log of the worker.
ALTER TABLE searches ADD COLUMN request TEXT;
