-- Works from schema 28.
-- A member of staff who signed in at the identity provider of the operator: how the history names the person, and how
-- pages show the person. No access comes from here.
create table company_staff (
  -- `company:ISSUER#SUBJECT`
  actor text primary key,
  issuer text not null,
  subject text not null,
  name text,
  email text,
  role text not null,
  first_signed_in_at bigint not null,
  signed_in_at bigint not null
);
