-- How many unsent posts an organization holds is asked with every new one, however many were sent.
create index posts_unsent on posts (organization_id) where status <> 'sent';
