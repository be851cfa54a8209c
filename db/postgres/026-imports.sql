-- When an app, or a token of the app, was last imported. Nothing is known of their calls before.
create index events_of_imports on events (client_id, at) where action in ('app_imported', 'token_imported');
