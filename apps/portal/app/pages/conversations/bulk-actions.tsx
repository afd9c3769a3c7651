import { Button, Menu, TextInput } from '@mantine/core';
import { api, BulkBar, call, field, ProblemText, toast, useAction, type useSelection } from '@parley/portal-kit/ui';
import { IconTag } from '@tabler/icons-react';
import { useState, type FormEvent } from 'react';
import { useMe } from '../../parts/me.ts';
import { refreshTags, useTags } from './choices.ts';
import { useColleagues } from './colleagues.ts';

type Change =
  | { action: 'close' | 'reopen' }
  | { action: 'tag' | 'untag'; tags: string[] }
  | { action: 'assign'; assigneeId: string };

const plural = (count: number) => (count === 1 ? '1 conversation' : `${count} conversations`);

/** Changes the selected conversations together. What can be undone offers it. */
export function BulkActions({ selection }: { selection: ReturnType<typeof useSelection> }) {
  const me = useMe();
  const tags = useTags() ?? [];
  const { agents } = useColleagues();
  const [isTagging, setTagging] = useState(false);
  const takeBack = useAction((change: Change, ids: string[]) =>
    call(api.POST('/conversations/bulk', { body: { ...change, ids } })),
  );
  const apply = useAction(async (change: Change, label: string, undo?: Change) => {
    const ids = [...selection.ids];
    const { changed, unchanged } = await call(api.POST('/conversations/bulk', { body: { ...change, ids } }));
    selection.clear();
    if ('tags' in change) void refreshTags();
    const skipped = unchanged.length > 0 ? ` ${plural(unchanged.length)} couldn’t be changed.` : '';
    toast({
      message: `${label} ${plural(changed.length)}.${skipped}`,
      ...(unchanged.length > 0 && { tone: 'warn' }),
      ...(undo && changed.length > 0 && { undo: () => void takeBack.run(undo, changed) }),
    });
  });
  const addTag = (tag: string) => {
    setTagging(false);
    const change = { tags: [tag] };
    if (tag) void apply.run({ action: 'tag', ...change }, `Tagged “${tag}”:`, { action: 'untag', ...change });
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    addTag(field(event.currentTarget, 'tag').trim());
  };
  return (
    <>
      <BulkBar selection={selection}>
        <Button
          size="xs"
          loading={apply.isRunning}
          onClick={() => void apply.run({ action: 'close' }, 'Closed', { action: 'reopen' })}
        >
          Close
        </Button>
        <Menu position="top" withinPortal>
          <Menu.Target>
            <Button size="xs" variant="default">
              Assign
            </Button>
          </Menu.Target>
          <Menu.Dropdown mah={320} style={{ overflowY: 'auto' }}>
            {agents.map(({ userId, name }) => (
              <Menu.Item
                key={userId}
                onClick={() => void apply.run({ action: 'assign', assigneeId: userId }, `Assigned to ${name}:`)}
              >
                {userId === me.actor.id ? `${name} (you)` : name}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
        <Menu opened={isTagging} onChange={setTagging} position="top" withinPortal>
          <Menu.Target>
            <Button size="xs" variant="default" leftSection={<IconTag size={14} aria-hidden />}>
              Tag
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            <form onSubmit={submit}>
              <TextInput name="tag" size="xs" m={4} aria-label="New tag" placeholder="New tag" maxLength={40} />
            </form>
            {tags.slice(0, 12).map((tag) => (
              <Menu.Item key={tag} onClick={() => addTag(tag)}>
                {tag}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
        <Button size="xs" variant="subtle" color="gray" onClick={selection.clear}>
          Clear selection
        </Button>
        <ProblemText problem={apply.problem} />
      </BulkBar>
      {/* The selection is gone by then. */}
      <ProblemText problem={takeBack.problem} />
    </>
  );
}
