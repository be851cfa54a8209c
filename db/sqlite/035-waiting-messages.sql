-- Works from schema 24.
-- A claim chooses a webhook first, and then its oldest message. Without this index it would read every message that waits,
-- also those of receivers that are at rest.
create index webhook_deliveries_waiting on webhook_deliveries (webhook_id, next_at) where state in ('due', 'sending');
