import { expect, test } from 'vitest';
import { confirmationState } from './confirmation.ts';

const expiresAt = '2026-05-01T12:00:00Z';
const card = { data: { runId: 'run_1', expiresAt } };
const [before, after] = [Date.parse(expiresAt) - 1, Date.parse(expiresAt) + 1];
const entry = (type: string, data: object, runId = 'run_1') => ({ type, data: { runId, ...data } });

test('waits for an answer until it expires, also if its end was not published yet', () => {
  const ofAnother = [entry('confirmation.answered', { isConfirmed: true }, 'run_2')];
  expect(confirmationState(card, ofAnother, before)).toBe('waiting');
  expect(confirmationState(card, ofAnother, undefined)).toBe('waiting');
  expect(confirmationState(card, ofAnother, after)).toBe('expired');
});

test('shows the answer, however the run ended after it', () => {
  const end = entry('action.finished', { state: 'failed' });
  expect(confirmationState(card, [end, entry('confirmation.answered', { isConfirmed: true })], after)).toBe(
    'confirmed',
  );
  expect(confirmationState(card, [entry('confirmation.answered', { isConfirmed: false }), end], after)).toBe(
    'cancelled',
  );
});

test('ends with a run that nobody answered', () => {
  expect(confirmationState(card, [entry('action.finished', { state: 'expired' })], before)).toBe('expired');
  expect(confirmationState(card, [entry('action.finished', { state: 'cancelled' })], before)).toBe('cancelled');
});
