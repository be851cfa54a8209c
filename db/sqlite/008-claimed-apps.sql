-- The app that a call names is a claim, which is kept beside the mapping and gives no right.

alter table mappings add column claimed_client_id text references apps (client_id);
alter table mappings add column claimed_at integer;
-- Of a token seen in use: 1 where support, an import or a consent that listed the token said which app it belongs to.
alter table mappings add column app_proven integer not null default 0;
create index mappings_unproven on mappings (created_at) where source = 'observed' and app_proven = 0 and state = 'active';

-- The tokens that the page named before the consent, as a JSON array of mapping ids.
alter table authorization_requests add column listed_tokens text;

-- Earlier versions gave an observed token to the app that its call named. Support and imports know better than a call.
update mappings set app_proven = 1
  where source = 'observed'
    and exists (select 1 from events where events.mapping_id = mappings.id
      and ((events.action = 'token_assigned' and events.actor <> 'bridge')
        or (events.action = 'token_changed' and events.reason like 'import: app%')));
update mappings set claimed_client_id = client_id, claimed_at = created_at
  where source = 'observed' and app_proven = 0
    and client_id in (select client_id from apps where source <> 'observed');

-- A token that waits goes to one unidentified program. The others stay where they are, so that nobody loses a connection.
insert into apps (client_id, name, source, created_at)
  select lower(hex(randomblob(12))), 'unidentified program: not recorded', 'observed', waiting.first_seen
  from (select min(created_at) as first_seen from mappings
    where claimed_client_id is not null and state = 'unmapped') waiting
  where waiting.first_seen is not null;
update mappings
  set client_id = (select min(client_id) from apps where source = 'observed' and name = 'unidentified program: not recorded')
  where claimed_client_id is not null and state = 'unmapped';

-- The holder of a program consented to its tokens. Only those were never asked about that had the user agent of another.
update mappings set app_proven = 1
  where source = 'observed' and state = 'active'
    and client_id in (select client_id from apps where source = 'observed')
    and coalesce((select events.reason from events
      where events.mapping_id = mappings.id and events.action = 'token_connected'
      order by events.id desc limit 1), '') <> 'a grant serves the pair';
