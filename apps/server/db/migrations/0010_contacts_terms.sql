-- backfill contacts by id, 1_000 rows at a time
-- Accents stay: the server writes the exact terms with the contact's next message.
insert into contact_terms (term, contact_id)
select distinct left(term, 254), contacts.id
from contacts, unnest(lower(email) || regexp_split_to_array(lower(concat_ws(' ', name, email, external_user_id)), '[^[:alnum:]]+')) as term
where contacts.id > :after and contacts.id <= :upto and length(term) > 1
on conflict do nothing
