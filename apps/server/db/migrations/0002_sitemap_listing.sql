-- Where the listing of a sitemap has stopped: a large one takes several invocations. Null before and after.
alter table knowledge_sources add column listing jsonb;
