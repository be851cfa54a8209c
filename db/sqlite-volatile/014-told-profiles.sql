-- The profiles of an answer as an app was last told them, and what the text depends on. Without them the text is made anew.
alter table answers add column told_profiles text;
alter table answers add column told_profiles_key text;
