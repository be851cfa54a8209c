-- What one request changed and wrote, for the search of support.
create index events_by_request on events (request_id) where request_id is not null;
create index post_writes_by_request on post_writes (request_id) where request_id is not null;
