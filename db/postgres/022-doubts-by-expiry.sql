-- The grants in doubt in the order of the desk of support: the earliest end of the access token first.
create index grants_unsettled_by_expiry on grants (access_expires_at, id) where state in ('presenting', 'in_doubt');
