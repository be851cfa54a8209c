-- The job asks each minute for the restored grants in doubt whose access token has ended, which are few or none.
create index if not exists grants_restored on grants (access_expires_at) where restored_at is not null;
