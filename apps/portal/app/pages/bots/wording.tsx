import { ActionIcon, Button, Group, MultiSelect, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { Section } from '@parley/portal-kit/ui';
import { IconPlus, IconX } from '@tabler/icons-react';
import type { DraftEditor } from './draft.tsx';
import { languageChoices } from './languages.ts';

interface Props {
  draftEditor: DraftEditor;
}

/** Shown when few characters are left. */
export const charactersLeft = (text: string, max: number) =>
  text.length > max * 0.8 ? ` ${max - text.length} characters left.` : '';

export const Wording = ({ draftEditor: { draft, set } }: Props) => (
  <Section title="Messages">
    <TextInput
      label="Title"
      description="Shown at the top of the chat."
      value={draft.title}
      onChange={(event) => set({ title: event.currentTarget.value })}
      maxLength={60}
    />
    <Textarea
      label="Greeting"
      description={`The first message visitors see.${charactersLeft(draft.greeting, 500)}`}
      value={draft.greeting}
      onChange={(event) => set({ greeting: event.currentTarget.value })}
      maxLength={500}
      autosize
      minRows={2}
    />
    <QuickReplies replies={draft.quickReplies} onChange={(quickReplies) => set({ quickReplies })} />
    <MultiSelect
      label="Languages"
      description="The chat uses the language of the page. If it isn’t listed here, the chat uses the first language."
      data={languageChoices(draft.languages)}
      value={draft.languages}
      onChange={(languages) => languages.length > 0 && set({ languages })}
      searchable
      maxValues={20}
      nothingFoundMessage="No matching language"
    />
    <Textarea
      label="Fallback message"
      description="Sent when the bot finds no answer in its knowledge. Leave blank for the default in the visitor’s language."
      value={draft.noAnswer}
      onChange={(event) => set({ noAnswer: event.currentTarget.value })}
      maxLength={500}
      autosize
      minRows={2}
    />
    <TextInput
      label="Disclosure"
      description="Shown below the chat, for example that answers are AI-generated. Some laws require this."
      value={draft.disclosure}
      onChange={(event) => set({ disclosure: event.currentTarget.value })}
      maxLength={300}
    />
  </Section>
);

const maxReplies = 6;

function QuickReplies({ replies, onChange }: { replies: string[]; onChange(replies: string[]): void }) {
  return (
    <Stack gap={6} role="group" aria-label="Quick replies">
      <div>
        <Text fw={600}>Quick replies</Text>
        <Text size="xs" c="dimmed">
          Questions visitors can send with one click. Up to {maxReplies}.
        </Text>
      </div>
      {replies.map((reply, at) => (
        <Group key={at} gap={6} wrap="nowrap">
          <TextInput
            flex={1}
            aria-label={`Quick reply ${at + 1}`}
            value={reply}
            maxLength={60}
            onChange={(event) => onChange(replies.with(at, event.currentTarget.value))}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={`Remove quick reply ${at + 1}`}
            onClick={() => onChange(replies.toSpliced(at, 1))}
          >
            <IconX size={16} aria-hidden />
          </ActionIcon>
        </Group>
      ))}
      {replies.length < maxReplies && (
        <Button
          w="fit-content"
          size="xs"
          variant="default"
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => onChange([...replies, ''])}
        >
          Add quick reply
        </Button>
      )}
    </Stack>
  );
}
