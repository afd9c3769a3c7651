-- The last day that the daily email reported: after a weekend, the next one covers all days since. null: it reports one day.
alter table digests add column reported_until date;
