-- How many posts of a channel were sent on a day.
create index posts_sent on posts (channel_id, sent_at) where status = 'sent';
