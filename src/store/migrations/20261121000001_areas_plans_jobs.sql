-- Understood by SQLite and PostgreSQL alike. Times are milliseconds since 1970 (UTC); facts,
-- budgets, progress and results are JSON.

-- Every area that a name or a job refers to, by the fingerprint of its game and text.
CREATE TABLE areas (
    fingerprint TEXT PRIMARY KEY,
    game TEXT NOT NULL,
    title TEXT NOT NULL,
    facts TEXT NOT NULL,
    text TEXT NOT NULL,
    bytes BIGINT NOT NULL,
    -- No plan is shorter, as far as is proven.
    bound BIGINT NOT NULL DEFAULT 0
);

-- What stored areas are called: `GAME/NAME`.
CREATE TABLE names (
    id TEXT PRIMARY KEY,
    game TEXT NOT NULL,
    fingerprint TEXT NOT NULL REFERENCES areas (fingerprint)
);
CREATE INDEX names_by_area ON names (fingerprint);

-- The best known plan of each area. `rank` orders plans as text; the smaller is better.
CREATE TABLE plans (
    area TEXT PRIMARY KEY REFERENCES areas (fingerprint),
    plan TEXT NOT NULL,
    length BIGINT NOT NULL,
    facts TEXT NOT NULL,
    rank TEXT NOT NULL
);

-- The jobs. (`jobs` is the name of the queue's own table.)
CREATE TABLE searches (
    id TEXT PRIMARY KEY,
    area TEXT NOT NULL REFERENCES areas (fingerprint),
    game TEXT NOT NULL,
    label TEXT NOT NULL,
    budget TEXT NOT NULL,
    optimal TEXT,
    state TEXT NOT NULL,
    -- Counts submissions of this id: a delivery of an earlier one is of no effect.
    round BIGINT NOT NULL,
    -- Who works on it: only that worker may report or finish.
    claim TEXT,
    cancel BOOLEAN NOT NULL DEFAULT FALSE,
    attempts BIGINT NOT NULL DEFAULT 0,
    progress TEXT,
    result TEXT,
    error TEXT,
    submitted_ms BIGINT NOT NULL,
    started_ms BIGINT,
    finished_ms BIGINT
);
CREATE INDEX searches_by_state ON searches (state, submitted_ms);
CREATE INDEX searches_by_time ON searches (submitted_ms, id);
CREATE INDEX searches_by_area ON searches (area);
