-- no transaction
create index concurrently if not exists visitors_of_contact on visitors (tenant_id, contact_id) where contact_id is not null;
