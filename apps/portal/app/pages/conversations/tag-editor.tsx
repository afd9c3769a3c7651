import { TagsInput } from '@mantine/core';
import { api, call, ProblemText, useAction } from '@parley/portal-kit/ui';
import { useMe } from '../../parts/me.ts';
import { hasPermission } from '../../parts/rights.ts';
import { refreshTags, useTags } from './choices.ts';
import type { Conversation } from './states.ts';

/** Saved with each change. */
export function TagEditor({ conversation: { id, tags } }: { conversation: Conversation }) {
  const me = useMe();
  const known = useTags();
  const save = useAction(async (next: string[]) => {
    await call(api.PUT('/conversations/{id}/tags', { params: { path: { id } }, body: { tags: next } }));
    void refreshTags();
  });
  return (
    <>
      <TagsInput
        label="Tags"
        placeholder={tags.length === 0 ? 'Add a tag' : ''}
        size="xs"
        value={tags}
        onChange={(next) => void save.run(next)}
        data={known ?? []}
        maxTags={20}
        splitChars={[',']}
        disabled={!hasPermission(me, 'conversation.reply')}
        clearable={false}
      />
      <ProblemText problem={save.problem} />
    </>
  );
}
