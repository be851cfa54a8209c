-- The text of profiles.json as an app was last told it, beside the answer that it was made of and not in its row: a plain call
-- reads the text alone. A text goes with its answer. Texts of earlier versions are made anew.
create unlogged table told_profiles (
  grant_id text primary key,
  modern_client_id text not null,
  fetched_at bigint not null,
  key text not null,
  text text not null
);

alter table answers drop column told_profiles;
alter table answers drop column told_profiles_key;

create function drop_told_profiles() returns trigger language plpgsql as $$
begin
  delete from told_profiles where grant_id = old.grant_id;
  return null;
end
$$;

create trigger told_profiles_of_answer after update or delete on answers
  for each row execute function drop_told_profiles();
