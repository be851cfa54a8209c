-- Whether an app's client that consents no longer name may still take pairs at the exchange: its owner says so.
alter table modern_clients add column keeps_handovers integer not null default 0;
-- Since when its secret is refused at the exchange; the modern side may still take it for grants that stand on the client.
alter table modern_clients add column secret_retired_at integer;
