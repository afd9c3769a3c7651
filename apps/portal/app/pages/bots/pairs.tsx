import { ActionIcon, Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';

export interface Pair {
  question: string;
  answer: string;
}
export const emptyPair: Pair = { question: '', answer: '' };

/** Pairs that are not empty. */
export const filledPairs = (pairs: Pair[]) => pairs.filter(({ question, answer }) => (question + answer).trim());

export function PairsEditor({ pairs, onChange }: { pairs: Pair[]; onChange(pairs: Pair[]): void }) {
  const set = (at: number, patch: Partial<Pair>) => onChange(pairs.with(at, { ...pairs[at]!, ...patch }));
  const isDuplicate = (at: number) =>
    pairs[at]!.question.trim() !== '' &&
    pairs.some(({ question }, other) => other !== at && question.trim() === pairs[at]!.question.trim());
  return (
    <Stack gap="md">
      {pairs.map((pair, at) => (
        <Stack key={at} gap={6} role="group" aria-label={`Question and answer ${at + 1}`}>
          <Group gap={6} wrap="nowrap" align="flex-end">
            <TextInput
              flex={1}
              label={`Question ${at + 1}`}
              value={pair.question}
              maxLength={300}
              onChange={(event) => set(at, { question: event.currentTarget.value })}
              error={isDuplicate(at) ? 'This question is already in the list.' : undefined}
            />
            {pairs.length > 1 && (
              <ActionIcon
                variant="subtle"
                color="gray"
                size="lg"
                aria-label={`Remove question ${at + 1}`}
                onClick={() => onChange(pairs.toSpliced(at, 1))}
              >
                <IconTrash size={16} aria-hidden />
              </ActionIcon>
            )}
          </Group>
          <Textarea
            label={`Answer ${at + 1}`}
            value={pair.answer}
            maxLength={4000}
            autosize
            minRows={2}
            maxRows={10}
            onChange={(event) => set(at, { answer: event.currentTarget.value })}
          />
        </Stack>
      ))}
      <Group>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPlus size={14} aria-hidden />}
          disabled={pairs.length >= 500}
          onClick={() => onChange([...pairs, emptyPair])}
        >
          Add question
        </Button>
        <Text size="xs" c="dimmed">
          {pairs.length} of 500
        </Text>
      </Group>
    </Stack>
  );
}
