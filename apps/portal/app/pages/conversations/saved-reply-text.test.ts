import { expect, test } from 'vitest';
import { fillVariables, openVariables } from './saved-reply-text.ts';

const values = { 'visitor.name': 'Ada', 'visitor.email': undefined, 'agent.name': 'Robin', 'bot.name': 'Shop help' };

test('fills in what is known, uses the fallback otherwise, and keeps what is missing', () => {
  const text =
    'Hi {{visitor.name|there}}, I am {{ agent.name }}. {{visitor.email|your address}} {{visitor.email}} {{x.y}}';
  expect(fillVariables(text, values)).toBe('Hi Ada, I am Robin. your address {{visitor.email}} {{x.y}}');
  expect(fillVariables('Hi {{visitor.name|there}}!', { ...values, 'visitor.name': undefined })).toBe('Hi there!');
});

test('lists the variables that are still open', () => {
  expect(openVariables('a {{visitor.email}} b')).toEqual(['{{visitor.email}}']);
  expect(openVariables('nothing { here }')).toEqual([]);
});
