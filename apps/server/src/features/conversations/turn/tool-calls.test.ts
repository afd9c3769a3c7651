import { expect, test } from 'vitest';
import { sanitizeToolCalls } from './tool-calls.ts';

const toolCall = (more: object = {}) => ({ id: 'call_1', name: 'order_status', input: { orderId: 'A-100' }, ...more });

test('keeps a valid tool call unchanged', () => {
  expect(sanitizeToolCalls([toolCall({ memo: { signature: 'x' } })])).toEqual([toolCall({ memo: { signature: 'x' } })]);
});

test('keeps eight of twenty tool calls, with unique ids', () => {
  const sanitized = sanitizeToolCalls(Array.from({ length: 20 }, () => toolCall()));
  expect(sanitized).toHaveLength(8);
  expect(new Set(sanitized.map(({ id }) => id)).size).toBe(8);
});

test('replaces what cannot be stored by a call that is rejected', () => {
  const deep: unknown = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000));
  for (const input of [{ orderId: 'A-100\0' }, { orderId: '\uD800' }, { orderId: 'x'.repeat(40_000) }, { a: deep }])
    expect(typeof sanitizeToolCalls([toolCall({ input })])[0]?.input).toBe('string');
  for (const name of ['order_status ', 'order status', 'order\0_status', '', 'x'.repeat(65), 'a.b'])
    expect(sanitizeToolCalls([toolCall({ name })])[0]?.name).toBe('_unknown');
  for (const id of ['', 'a\0b', 'x'.repeat(300)])
    expect(sanitizeToolCalls([toolCall({ id })])[0]?.id).toBe('tool_call_1_0');
});
