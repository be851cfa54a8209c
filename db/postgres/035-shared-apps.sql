-- Works from schema 28.
-- A contact may be given the pages of the app, to `read` or to `manage`. Null: mails alone.
alter table app_contacts add column access text;
-- The address in the form in which addresses are compared, while the contact has access.
alter table app_contacts add column access_email text;
-- The account that proved the address; null until then.
alter table app_contacts add column account_id text;
create index app_contacts_by_account on app_contacts (account_id) where account_id is not null;
create index app_contacts_unproven on app_contacts (access_email) where access_email is not null and account_id is null;
