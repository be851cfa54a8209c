-- When the old API refused a token that a grant serves. From then on the new API answers every call of the token.
alter table mappings add column refused_there_at integer;
