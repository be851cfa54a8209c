-- How many posts of a channel were sent on a day, and how many of an organization in a year: counted in the index alone.
create index posts_sent_by_channel on posts (channel_id, sent_at) where status = 'sent';
create index posts_sent on posts (organization_id, sent_at, channel_id, id) where sent_at is not null;

-- The name of a colour is told from the colour.
alter table tags drop column color_name;

-- A channel on Mastodon says how long a text its server takes; one that was written before does not: 500 is what a
-- server takes that was not told otherwise.
update channels set document = json_set(document, '$.metadata.maxCharacters', 500)
where document ->> '$.metadata.__typename' = 'MastodonMetadata' and document ->> '$.metadata.maxCharacters' is null;

-- Times in Unix milliseconds. `account_id` is whose a private template is; a public one is everybody's.
create table post_templates (
  id text primary key,
  organization_id text not null references organizations (id),
  account_id text not null references accounts (id),
  title text not null,
  body text not null,
  description text not null,
  emoji text not null,
  visibility text not null check (visibility in ('private', 'internal', 'public')),
  created_at integer not null,
  updated_at integer not null
) strict;

create index post_templates_by_organization on post_templates (organization_id, created_at, id);
create index post_templates_by_account on post_templates (account_id, created_at, id);
create index post_templates_public on post_templates (created_at, id) where visibility = 'public';
