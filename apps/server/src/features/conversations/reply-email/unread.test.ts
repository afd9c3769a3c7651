import { expect, test } from 'vitest';
import { emailIn } from './reply-email.ts';
import { unreadUpTo } from './reply-email.emails.ts';

const at = (role: 'visitor' | 'agent', seq: number, seconds: number) => ({
  role,
  seq,
  createdAt: new Date(seconds * 1_000),
});
const seqs = (messages: ReturnType<typeof at>[], seq: number) =>
  unreadUpTo(messages, seq).map((message) => message.seq);

test('messages that follow each other are sent together, once', () => {
  const messages = [at('visitor', 1, 0), at('agent', 2, 10), at('agent', 3, 100), at('agent', 4, 900)];
  expect(seqs(messages, 2)).toEqual([]);
  expect(seqs(messages, 3)).toEqual([2, 3]);
  expect(seqs(messages, 4)).toEqual([4]);
});

test('nothing is sent that the visitor has replied to', () => {
  const messages = [at('agent', 1, 0), at('visitor', 2, 10), at('agent', 3, 20)];
  expect(seqs(messages, 1)).toEqual([]);
  expect(seqs(messages, 3)).toEqual([3]);
});

test.each([
  ['my address is ada@example.com.', 'ada@example.com'],
  ['<Ada.Lovelace+shop@mail.example.co.uk> please', 'Ada.Lovelace+shop@mail.example.co.uk'],
  ['write to me: ada@example.com, or call', 'ada@example.com'],
  ['see you @ 5', undefined],
  ['@ada', undefined],
  ['ada@example', undefined],
])('finds the address in "%s"', (text, email) => {
  expect(emailIn(text)).toBe(email);
});
