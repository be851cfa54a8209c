-- How many of an app's accounts in a hundred the new API answers before the retirement; why, who decided so, and when.
alter table apps add column cut_over_percent integer not null default 0 check (cut_over_percent between 0 and 100);
alter table apps add column cut_over_reason text;
alter table apps add column cut_over_by text;
alter table apps add column cut_over_at integer;
