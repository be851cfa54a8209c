-- Whether an app's owner registered it on a page of ours, so that nobody of the service has looked at its callbacks. The
-- history says so of the apps that are there already.
alter table apps add column self_registered integer not null default 0;
update apps set self_registered = 1 where source = 'registered' and client_id in
  (select client_id from events where action = 'app_registered' and actor like 'account:%');

-- Authorization requests that a browser has claimed; they are kept durably from the decision on.
create unlogged table claimed_requests (
  id text primary key,
  browser_digest text,
  claimed_at bigint not null,
  expires_at bigint not null
);
create index claimed_requests_by_expiry on claimed_requests (expires_at);

-- Counts that are over are removed a few at a time.
create index counts_by_end on counts (ends_at);

-- Requests that never came back from the modern side are removed a few at a time, minutes after their end.
create index authorization_requests_unfinished on authorization_requests (expires_at) where phase <> 'returned';

-- Links to prove an address are removed a few at a time too.
create index email_proofs_by_expiry on email_proofs (expires_at);
