-- A password is chosen by whoever followed the link to the address, and by nobody before.
alter table customer_pool.signups drop column password_hash;
alter table admin_pool.signups drop column password_hash;
