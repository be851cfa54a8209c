create table idea_groups (
  id text primary key,
  organization_id text not null references organizations (id),
  name text not null
) strict;

-- `document` is the record as the main API serves it, in JSON; the columns beside it are what lists sort and filter by.
-- `created_at` in Unix seconds. `position` orders the ideas of one group; null outside of groups.
create table ideas (
  id text primary key,
  organization_id text not null references organizations (id),
  group_id text references idea_groups (id),
  position real,
  created_at integer not null,
  document text not null
) strict;

create index ideas_by_organization on ideas (organization_id, created_at, id);
create index ideas_by_group on ideas (group_id, position) where group_id is not null;

-- Times are ISO 8601 in UTC with milliseconds, so that their order as text is their order in time.
create table snippets (
  id text primary key,
  organization_id text not null references organizations (id),
  name text not null,
  text text not null,
  created_at text not null,
  updated_at text not null
) strict;

create index snippets_by_organization on snippets (organization_id, created_at, id);
