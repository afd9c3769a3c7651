-- What visitors enter in the form before a chat. Not verified, and never used to find them.
alter table visitors add column name text, add column email text;
