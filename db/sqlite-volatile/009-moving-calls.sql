-- The windows of the budget as JSON: quota, what is left, length, and when each opens again.
alter table budgets add column windows text;

-- The calls that the old API answers and the new API will answer, of one client of the new API, as last counted.
create table moving_calls (
  modern_client_id text primary key,
  body text not null,
  counted_at integer not null
) strict;
