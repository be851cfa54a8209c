-- Works from schema 28.
-- Who takes a job back, and the request that asked for it: the history names them, not who asked for the job.
alter table bulk_jobs add column back_by text;
alter table bulk_jobs add column back_request_id text;
-- Why the bridge itself stopped a job: the key in whose name it acted may not do this any more.
alter table bulk_jobs add column stopped_why text;
-- The items that a process has in hand, whatever became of their job.
create index bulk_items_by_state on bulk_items (state, claimed_at);
