import { expect, test } from 'vitest';
import { exampleQuestion, headingsOf } from './example-question.ts';

test.each([
  ['Opening hours', 'en', 'What can you tell me about opening hours?'],
  ['Terms of Northlight.', 'en-GB', 'What can you tell me about Terms of Northlight?'],
  ['How do I return a bike?', 'en', 'How do I return a bike?'],
  ['Rückgabe', 'de', 'Rückgabe?'],
  ['Returns', null, 'Returns?'],
  [' ', 'en', 'What are your opening hours?'],
  ['Long '.repeat(30), 'en', 'What are your opening hours?'],
])('asks about “%s” (%s): %s', (topic, language, question) => {
  expect(exampleQuestion({ topic, language })).toBe(question);
});

test('asks about opening hours without content', () => {
  expect(exampleQuestion(undefined)).toBe('What are your opening hours?');
});

test('finds the heading above an excerpt, and those of short sections in it', () => {
  const text = '**Abroad**\n\nIt takes **ten** days.\n\n**Costs**\n\nFour euros.';
  expect(headingsOf({ heading: 'Help › Delivery', text })).toEqual(['Delivery', 'Abroad', 'Costs']);
});
