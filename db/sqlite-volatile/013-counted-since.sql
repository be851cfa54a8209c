-- The calls are whole since a call that is known, not since ever: an earlier version may not have counted them. A database that knows
-- no call has no row, and a bridge that starts writes it.
update app_calls_begin set lost_before = max(lost_before, coalesce((select min(last_at) from usage), 0));
delete from app_calls_begin where lost_before = 0;
