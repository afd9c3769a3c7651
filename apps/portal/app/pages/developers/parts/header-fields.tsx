import { ActionIcon, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { useRef } from 'react';

export interface HeaderField {
  id: number;
  name: string;
  value: string;
}

export const toHeaders = (fields: readonly HeaderField[]): Record<string, string> =>
  Object.fromEntries(fields.filter(({ name }) => name.trim()).map(({ name, value }) => [name.trim(), value]));

interface Props {
  fields: HeaderField[];
  onChange(fields: HeaderField[]): void;
}

export function HeaderFields({ fields, onChange }: Props) {
  const next = useRef(1);
  const change = (id: number, change: Partial<HeaderField>) =>
    onChange(fields.map((field) => (field.id === id ? { ...field, ...change } : field)));
  return (
    <Stack gap="xs">
      {fields.map(({ id, name, value }, at) => (
        <Group key={id} gap="xs" wrap="nowrap" align="flex-end">
          <TextInput
            flex={1}
            label={`Header ${at + 1}`}
            placeholder="X-Api-Key"
            value={name}
            onChange={(event) => change(id, { name: event.currentTarget.value })}
          />
          <TextInput
            flex={1}
            label={`Value ${at + 1}`}
            value={value}
            autoComplete="off"
            onChange={(event) => change(id, { value: event.currentTarget.value })}
          />
          <ActionIcon
            variant="default"
            size="lg"
            aria-label={`Remove header ${at + 1}`}
            onClick={() => onChange(fields.filter((field) => field.id !== id))}
          >
            <IconX size={16} aria-hidden />
          </ActionIcon>
        </Group>
      ))}
      <Button
        w="fit-content"
        size="compact-sm"
        variant="default"
        disabled={fields.length >= 10}
        leftSection={<IconPlus size={14} aria-hidden />}
        onClick={() => onChange([...fields, { id: next.current++, name: '', value: '' }])}
      >
        Add header
      </Button>
      <Text size="xs" c="dimmed">
        Sent with each request, for example your own API key. Values are stored encrypted and not shown again.
      </Text>
    </Stack>
  );
}
