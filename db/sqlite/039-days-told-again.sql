-- Works from schema 24.
-- A date may move to another day and back. Of what a person was told of the first day nothing counts any more once a mail
-- has told the other day, so that it can be told again; the rows stay, since those mails were sent.
alter table reminders add column outdated_at integer not null default 0;
drop index reminders_once;
create unique index reminders_once on reminders (person, client_id, role, stage, planned_for, outdated_at)
  where dropped_at is null;
