import { Box, Button, Checkbox, Fieldset, Group, Stack, Text, TextInput, UnstyledButton } from '@mantine/core';
import { Dialog, Snippet } from '@parley/portal-kit/ui';
import { IconChevronDown, IconChevronRight, IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import type { WebhookChoices } from './webhook-choices.ts';

type EventType = WebhookChoices['eventTypes'][number];

interface Props {
  eventTypes: EventType[];
  value: string[];
  error?: string | undefined;
  onChange(value: string[]): void;
}

const groupOf = (type: string) => type.split('.')[0] ?? type;

/** Event types by group, with a checkbox for each group and for all events, a search, and a sample of each. */
export function EventPicker({ eventTypes, value, error, onChange }: Props) {
  const [search, setSearch] = useState('');
  const [sample, setSample] = useState<EventType>();
  const isAll = value.includes('*');
  const query = search.trim().toLowerCase();
  const found = eventTypes.filter(({ type }) => type.includes(query));
  const toggle = (pattern: string, isOn: boolean) => {
    const isCovered = (other: string) =>
      pattern === '*' || (pattern.endsWith('.*') && groupOf(other) === groupOf(pattern));
    onChange(isOn ? [...value.filter((one) => !isCovered(one)), pattern] : value.filter((one) => one !== pattern));
  };
  return (
    <Fieldset legend="Events">
      <Stack gap="sm">
        <Checkbox
          checked={isAll}
          onChange={(event) => toggle('*', event.currentTarget.checked)}
          label="All events"
          description="Includes event types added later."
        />
        {!isAll && (
          <>
            <TextInput
              aria-label="Search events"
              placeholder="Search events"
              leftSection={<IconSearch size={16} aria-hidden />}
              value={search}
              onChange={(event) => setSearch(event.currentTarget.value)}
              // Enter would submit the form.
              onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
            />
            <Box mah={260} style={{ overflowY: 'auto' }} role="group" aria-label="Event types">
              {[...Map.groupBy(found, ({ type }) => groupOf(type))].map(([group, types]) => (
                <EventGroup
                  key={group}
                  group={group}
                  types={types}
                  value={value}
                  isSearching={query !== ''}
                  onToggle={toggle}
                  onSample={setSample}
                />
              ))}
              {found.length === 0 && <Text c="dimmed">No event matches “{search.trim()}”.</Text>}
            </Box>
          </>
        )}
        {error && (
          <Text c="var(--mantine-color-error)" size="sm" role="alert">
            {error}
          </Text>
        )}
      </Stack>
      <Dialog
        isOpen={sample !== undefined}
        isNested
        size="lg"
        title={sample ? `Sample ${sample.type} event` : ''}
        onClose={() => setSample(undefined)}
      >
        {sample && (
          <Snippet label="Payload">{JSON.stringify({ type: sample.type, data: sample.sample }, null, 2)}</Snippet>
        )}
        <Text size="sm" c="dimmed" mt="xs">
          Each event also includes its ID, time, organisation, environment, bot, conversation and actor.
        </Text>
      </Dialog>
    </Fieldset>
  );
}

interface GroupProps {
  group: string;
  types: EventType[];
  value: string[];
  isSearching: boolean;
  onToggle(pattern: string, isOn: boolean): void;
  onSample(type: EventType): void;
}

function EventGroup({ group, types, value, isSearching, onToggle, onSample }: GroupProps) {
  const pattern = `${group}.*`;
  const isWhole = value.includes(pattern);
  const chosen = types.filter(({ type }) => isWhole || value.includes(type)).length;
  const [isOpen, setOpen] = useState(chosen > 0 && !isWhole);
  const rows = types.map((one) => (
    <Group key={one.type} gap={4} wrap="nowrap" justify="space-between">
      <Checkbox
        checked={isWhole || value.includes(one.type)}
        disabled={isWhole}
        onChange={(event) => onToggle(one.type, event.currentTarget.checked)}
        label={one.type}
        miw={0}
        styles={{ labelWrapper: { minWidth: 0 }, label: { wordBreak: 'break-all' } }}
      />
      <Button
        size="compact-xs"
        variant="subtle"
        onClick={() => onSample(one)}
        aria-label={`Show sample ${one.type} event`}
        style={{ flexShrink: 0 }}
      >
        Sample
      </Button>
    </Group>
  ));
  if (types.every(({ type }) => !type.includes('.'))) return <Box py={4}>{rows}</Box>;
  const isShown = isOpen || isSearching;
  return (
    <Box py={4}>
      <Group gap="xs" wrap="nowrap" justify="space-between">
        <Checkbox
          checked={isWhole}
          indeterminate={!isWhole && chosen > 0}
          onChange={(event) => onToggle(pattern, event.currentTarget.checked)}
          label={pattern}
          fw={600}
        />
        {!isSearching && (
          <UnstyledButton
            onClick={() => setOpen(!isOpen)}
            aria-expanded={isOpen}
            aria-label={`${isOpen ? 'Hide' : 'Show'} ${group} events`}
          >
            <Group gap={4} wrap="nowrap">
              <Text size="sm" c="dimmed">
                {isWhole ? 'All' : `${chosen} of ${types.length}`}
              </Text>
              {isOpen ? <IconChevronDown size={16} aria-hidden /> : <IconChevronRight size={16} aria-hidden />}
            </Group>
          </UnstyledButton>
        )}
      </Group>
      {isShown && (
        <Stack gap={2} pl="lg" mt={4}>
          {rows}
        </Stack>
      )}
    </Box>
  );
}
