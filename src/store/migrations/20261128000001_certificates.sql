-- Whether what a job proves shall be certified.
ALTER TABLE searches ADD COLUMN certify BOOLEAN NOT NULL DEFAULT FALSE;
