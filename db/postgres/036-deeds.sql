-- Works from schema 28.
-- What an action on tokens, apps or dates has changed, so that it can be taken back while nothing else has changed that.
create table deeds (
  id text primary key,
  kind text not null,
  done_at bigint not null,
  actor text not null,
  lost text,
  back_at bigint,
  back_by text
);
create index deeds_by_time on deeds (done_at);
-- One changed thing: as it was before, and as the action left it. Each has its own entry in the history.
create table deed_parts (
  entry_uid text primary key,
  deed_id text not null references deeds (id),
  thing text not null,
  subject text not null,
  client_id text,
  was text not null,
  left_as text not null
);
create index deed_parts_by_deed on deed_parts (deed_id);
create index deed_parts_by_subject on deed_parts (thing, subject);
create index deed_parts_by_app on deed_parts (client_id) where thing <> 'token';
-- When an app last got a token back: its earlier calls were counted for another app.
create index events_of_tokens_taken_back on events (client_id, at) where action = 'token_taken_back';
