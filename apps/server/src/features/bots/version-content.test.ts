import { expect, test } from 'vitest';
import { BotContent } from './bot-content.contract.ts';
import { changeDraft, readContent } from './version-content.ts';

test('stored content of a newer version is read without the fields that are unknown here', () => {
  const content = BotContent.parse({});
  const newer = { ...content, mood: 'sunny', handoff: { ...content.handoff, team: 'night' } };
  expect(readContent(BotContent, newer)).toEqual(content);
  expect(() => readContent(BotContent, { ...content, title: 7 })).toThrow(/title/);
});

test('a draft has no replies until someone writes one, so that an older version can read it', () => {
  const draft = changeDraft(BotContent.parse({}), { title: 'Ada' });
  expect(draft).not.toHaveProperty('replies');
  const changed = changeDraft(draft, { replies: { thanks: 'Any time!' } });
  expect(changed.replies).toMatchObject({ thanks: 'Any time!', stop: '' });
  expect(changeDraft(changed, { replies: { stop: 'Fine.' } }).replies).toMatchObject({
    thanks: 'Any time!',
    stop: 'Fine.',
  });
  expect(changeDraft(changed, { title: 'Bo' }).replies).toEqual(changed.replies);
});
