import { ActionIcon, Button, Group, MultiSelect, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { Section } from '@parley/portal-kit/ui';
import { IconPlus, IconX } from '@tabler/icons-react';
import type { Drafting } from './draft.tsx';
import { languageChoices } from './languages.ts';

interface Props {
  drafting: Drafting;
}

/** Said when it gets short. */
export const left = (text: string, most: number) =>
  text.length > most * 0.8 ? ` ${most - text.length} characters left.` : '';

export const Wording = ({ drafting: { mine, set } }: Props) => (
  <Section title="What it says">
    <TextInput
      label="Title"
      description="At the top of the chat."
      value={mine.title}
      onChange={(event) => set({ title: event.currentTarget.value })}
      maxLength={60}
    />
    <Textarea
      label="Greeting"
      description={`The first thing a visitor reads.${left(mine.greeting, 500)}`}
      value={mine.greeting}
      onChange={(event) => set({ greeting: event.currentTarget.value })}
      maxLength={500}
      autosize
      minRows={2}
    />
    <QuickReplies replies={mine.quickReplies} onChange={(quickReplies) => set({ quickReplies })} />
    <MultiSelect
      label="Languages"
      description="The chat follows the language of the page. The first one here is used where the page says none of them."
      data={languageChoices(mine.languages)}
      value={mine.languages}
      onChange={(languages) => languages.length > 0 && set({ languages })}
      searchable
      maxValues={20}
      nothingFoundMessage="No such language here"
    />
    <Textarea
      label="When there is no answer"
      description="Said when nothing in the knowledge answers. Empty: our own words, in the visitor’s language."
      value={mine.noAnswer}
      onChange={(event) => set({ noAnswer: event.currentTarget.value })}
      maxLength={500}
      autosize
      minRows={2}
    />
    <TextInput
      label="Note under the chat"
      description="For example that answers come from a machine, which some laws ask you to say."
      value={mine.disclosure}
      onChange={(event) => set({ disclosure: event.currentTarget.value })}
      maxLength={300}
    />
  </Section>
);

const mostReplies = 6;

function QuickReplies({ replies, onChange }: { replies: string[]; onChange(replies: string[]): void }) {
  return (
    <Stack gap={6} role="group" aria-label="Quick replies">
      <div>
        <Text fw={600}>Quick replies</Text>
        <Text size="xs" c="dimmed">
          Questions a visitor can send by one click. Up to {mostReplies}.
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
      {replies.length < mostReplies && (
        <Button
          w="fit-content"
          size="xs"
          variant="default"
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => onChange([...replies, ''])}
        >
          Add a quick reply
        </Button>
      )}
    </Stack>
  );
}
