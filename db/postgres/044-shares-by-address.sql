-- Works from schema 28.
-- A share whose account has another address by now is found by the address too, and not only one that nobody has proven.
drop index app_contacts_unproven;
create index app_contacts_shared on app_contacts (access_email) where access_email is not null;
