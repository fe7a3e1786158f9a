-- Who works on jobs, and how often each has counted that it lives. (`workers` was a table of the
-- queue that older versions had.)
CREATE TABLE search_workers (
    id TEXT PRIMARY KEY,
    beats BIGINT NOT NULL,
    seen_ms BIGINT NOT NULL
);
-- Whose a running job is.
ALTER TABLE searches ADD COLUMN worker TEXT;
CREATE INDEX searches_by_claim ON searches (claim);
