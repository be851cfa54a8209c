-- Works from schema 28.
-- The client through which a browser left for a consent, what the consent asks for, and where the browser comes back to: the app's
-- client may be another one by then. Null in requests of an earlier version.
alter table authorization_requests add column modern_client_id text;
alter table authorization_requests add column consent_scopes text;
alter table authorization_requests add column callback_path text;

-- When the request for the first pair left, so that a consent that is stored late does not replace a newer one. Null in grants
-- of an earlier version.
alter table grants add column consented_at bigint;

-- Whether somebody deauthorized an app for an account since. A pair with many tokens has very many other entries.
create index events_of_pairs_ended on events (client_id, account_id, at) where action = 'deauthorized';
