import { expect, test } from 'vitest';
import { queryOf } from './views.ts';

const query = (text: string) => queryOf(new URLSearchParams(text));

test('a view adds its filters, and others narrow it', () => {
  expect(query('view=mine&tag=refund')).toEqual({
    assigneeId: 'me',
    isOpen: 'true',
    isSnoozed: 'false',
    tag: 'refund',
  });
  expect(query('contactId=con_1')).toEqual({ contactId: 'con_1' });
  expect(query('channel=api&language=de')).toEqual({ channel: 'api', language: 'de' });
  expect(query('')).toEqual({});
});

test('leaves out what is no filter, and reads days as whole days', () => {
  expect(query('cursor=abc&evil=1&q=&since=2026-01-02&until=2026-01-03')).toEqual({
    since: '2026-01-02T00:00:00Z',
    until: '2026-01-03T23:59:59Z',
  });
});
