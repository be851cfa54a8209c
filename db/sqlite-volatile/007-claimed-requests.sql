-- Authorization requests that a browser has claimed; they are kept durably from the decision on.
create table claimed_requests (
  id text primary key,
  browser_digest text,
  claimed_at integer not null,
  expires_at integer not null
) strict;
create index claimed_requests_by_expiry on claimed_requests (expires_at);

-- Counts that are over are removed a few at a time.
create index counts_by_end on counts (ends_at);
