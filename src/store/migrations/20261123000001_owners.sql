-- Who may cancel a job: the hash of the key that its owner was given.
ALTER TABLE searches ADD COLUMN owner TEXT;
