-- How many requests of the new API comparisons of passed reads have taken of a client's budget.
create unlogged table shadow_requests (
  modern_client_id text primary key,
  begun_at bigint not null,
  requests integer not null
);
