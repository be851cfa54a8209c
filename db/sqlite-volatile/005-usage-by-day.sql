-- The tokens of a day one after the other.
drop index usage_by_day;
create index usage_by_day on usage (day, mapping_id);
