-- How many of an app's accounts in a hundred the new API answers before the retirement; why, who decided so, and when.
alter table apps add column cut_over_percent integer not null default 0 check (cut_over_percent between 0 and 100);
alter table apps add column cut_over_reason text;
alter table apps add column cut_over_by text;
alter table apps add column cut_over_at bigint;

-- The windows of the budget as JSON: quota, what is left, length, and when each opens again.
alter table budgets add column windows text;

-- The calls that the old API answers and the new API will answer, of one client of the new API, as last counted.
create unlogged table moving_calls (
  modern_client_id text primary key,
  body text not null,
  counted_at bigint not null
);
