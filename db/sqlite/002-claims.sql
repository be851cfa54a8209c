-- Names each claim of a presentation, dates each pair, and finds what waits for a look.

alter table grants add column claim_id text;
alter table grants add column rotated_at integer not null default 0;
update grants set rotated_at = updated_at;
create index grants_idle on grants (rotated_at) where state = 'ready';
create index grants_unsettled on grants (retry_at) where state in ('presenting', 'in_doubt');
