import { Checkbox, Group, Switch } from '@mantine/core';
import { Section } from '@parley/portal-kit/ui';
import type { Draft } from './bot-data.ts';
import type { DraftEditor } from './draft.tsx';

type PreChat = NonNullable<Draft['preChat']>;
const labels = { name: 'Name', email: 'Email' } as const;
const all = ['name', 'email'] as const;

/** Asks anonymous visitors who they are before their first message. */
export function PreChatForm({ draftEditor: { draft, set } }: { draftEditor: DraftEditor }) {
  const preChat = draft.preChat ?? null;
  const change = (patch: Partial<PreChat>) =>
    set({ preChat: { fields: ['email'], isRequired: false, ...preChat, ...patch } });
  const toggle = (field: 'name' | 'email', isAsked: boolean) =>
    change({ fields: all.filter((name) => (name === field ? isAsked : preChat?.fields.includes(name))) });
  return (
    <Section
      title="Form before the chat"
      description="Ask anonymous visitors for their details before their first message. What they enter isn’t verified."
    >
      <Switch
        label="Show a form before the first message"
        checked={preChat !== null}
        onChange={({ currentTarget }) => (currentTarget.checked ? change({}) : set({ preChat: null }))}
      />
      {preChat && (
        <Group gap="lg">
          {all.map((field) => (
            <Checkbox
              key={field}
              label={labels[field]}
              checked={preChat.fields.includes(field)}
              // A form needs at least one field.
              disabled={preChat.fields.length === 1 && preChat.fields.includes(field)}
              onChange={({ currentTarget }) => toggle(field, currentTarget.checked)}
            />
          ))}
          <Checkbox
            label="Required"
            checked={preChat.isRequired}
            onChange={({ currentTarget }) => change({ isRequired: currentTarget.checked })}
          />
        </Group>
      )}
    </Section>
  );
}
