-- Works from schema 28.
-- The client through which a browser left for a consent, what the consent asks for, and where the browser comes back to: the app's
-- client may be another one by then. Null in requests of an earlier version.
alter table authorization_requests add column modern_client_id text;
alter table authorization_requests add column consent_scopes text;
alter table authorization_requests add column callback_path text;

-- When the request for the first pair left, so that a consent that is stored late does not replace a newer one. Null in grants
-- of an earlier version.
alter table grants add column consented_at bigint;
