-- The volatile database: what may be lost in a power cut without harm, because it can be asked for again.

create table answers (
  grant_id text primary key,
  body text not null,
  organization_ids text not null,
  fetched_at integer not null
) strict;
