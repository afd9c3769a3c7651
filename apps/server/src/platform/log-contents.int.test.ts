import { APICallError } from 'ai';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { services } from '../../test/harness.ts';
import { describeForLog, redact } from './log-contents.ts';

const thrownBy = async (work: () => unknown): Promise<unknown> => {
  try {
    await work();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
};
const logged = (error: unknown) => redact(JSON.stringify(describeForLog(error)));

/** Fails in a table of people with one row, whose name is not longer than ten characters. */
const inPeople = (statement: string) => () =>
  services.db.transaction().execute(async (tx) => {
    await sql`create temp table people (email text primary key, name text check (length(name) <= 10), age int)
      on commit drop`.execute(tx);
    await sql`insert into people values ('canary@example.com', 'canary')`.execute(tx);
    await sql.raw(statement).execute(tx);
  });

const token = `eyJhbGciOiJSUzI1NiJ9.${'canary'.repeat(4)}.c2lnbmF0dXJl`;
test.each<[string, () => unknown, string]>([
  ['a duplicate key', inPeople("insert into people values ('canary@example.com')"), '"constraint":"people_pkey"'],
  ['a row that a check refuses', inPeople("insert into people values ('a', 'a canary message')"), 'people_name_check'],
  ['a value that is no number', inPeople("insert into people values ('a', 'a', 'canary text'::text::int)"), '22P02'],
  ['a value that is no JSON', inPeople(`select '{"text": canary}'::json`), '22P02'],
  ['JSON.parse', () => JSON.parse('a canary message'), 'SyntaxError'],
  ['JSON.parse of an object', () => JSON.parse('{"a": "canary", canary}'), 'SyntaxError'],
  [
    'a model call',
    () => {
      const url = 'https://models.example/v1/chat?key=canary';
      const message = `Incorrect key: sk-canary-0123456789 at ${url}`;
      throw new APICallError({ message, url, requestBodyValues: { prompt: 'canary' }, responseBody: 'canary' });
    },
    'models.example/…',
  ],
  [
    'an SMTP server',
    () => {
      throw Object.assign(new Error('550 5.1.1 <canary@example.com> unknown'), {
        response: 'canary',
        command: 'RCPT TO',
      });
    },
    '550 5.1.1',
  ],
  [
    'a connection string',
    () => {
      throw new Error('cannot connect to postgres://parley:canary@db.example/parley?password=canary');
    },
    'db.example',
  ],
  [
    'keys, tokens and headers',
    () => {
      throw new Error(
        `\nsc_live_canary0123\nwhsec_canary0123= Authorization: Bearer canary.0123 basic canary0123\t${token}`,
      );
    },
    'whsec_[redacted]',
  ],
  [
    'a cause',
    () => {
      throw new Error('fetch failed', { cause: new Error('GET /callback?code=canary&state=canary failed') });
    },
    '"cause":{"type":"Error","message":"GET /callback?code=[redacted]&state=[redacted] failed"',
  ],
  [
    'something that is no error',
    () => {
      // oxlint-disable-next-line no-throw-literal, only-throw-error -- libraries do
      throw { message: 'canary', token: 'canary' };
    },
    '{"type":"object","message":"","stack":""}',
  ],
])('the log says about %s what happened, and not with which contents', async (_what, work, kept) => {
  const line = logged(await thrownBy(work));
  expect(line).not.toContain('canary');
  expect(line).toContain(kept);
  expect(() => JSON.parse(line)).not.toThrow();
});

test('a line stays JSON when something is redacted next to an escape', () => {
  for (const before of ['\n', '\t', '\u001b', '\u001bff', '\\', '"', '\\n']) {
    const line = redact(JSON.stringify({ msg: `${before}canary@example.com ${before}sc_live_canary0123` }));
    expect(line).not.toContain('canary');
    expect(() => JSON.parse(line)).not.toThrow();
  }
});
