-- Works from schema 28.
-- A page of the tokens of an account is read in the order of their ids. The index without the id had all of them sorted
-- for each page. A later version drops mappings_by_account. Here the drop would wait for transactions that themselves wait
-- for this build.
create index mappings_of_account on mappings (account_id, id) where account_id is not null;
