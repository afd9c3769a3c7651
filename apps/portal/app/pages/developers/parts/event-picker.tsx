import { Button, Checkbox, Fieldset, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { Snippet } from '@parley/portal-kit/ui';
import { useState } from 'react';
import type { WebhookChoices } from './webhook-choices.ts';

interface Props {
  eventTypes: WebhookChoices['eventTypes'];
  value: string[];
  onChange(value: string[]): void;
}

const groupOf = (type: string) => type.split('.')[0] ?? type;

/** Event types by group, with a checkbox for each group and for all events, and a sample payload. */
export function EventPicker({ eventTypes, value, onChange }: Props) {
  const [previewed, setPreviewed] = useState(
    eventTypes.find(({ type }) => type === 'message.created') ?? eventTypes[0],
  );
  const groups = Map.groupBy(eventTypes, ({ type }) => groupOf(type));
  const isAll = value.includes('*');
  const toggle = (pattern: string, isOn: boolean) => {
    const isCovered = (other: string) =>
      pattern === '*' || (pattern.endsWith('.*') && groupOf(other) === groupOf(pattern));
    onChange(isOn ? [...value.filter((one) => !isCovered(one)), pattern] : value.filter((one) => one !== pattern));
  };
  return (
    <Fieldset legend="Events">
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Stack gap="xs">
          <Checkbox
            checked={isAll}
            onChange={(event) => toggle('*', event.currentTarget.checked)}
            label="All events, including types added later (*)"
          />
          {[...groups].map(([group, types]) => {
            const isGroup = isAll || value.includes(`${group}.*`);
            const hasPattern = types.some(({ type }) => type.includes('.'));
            return (
              <div key={group}>
                {hasPattern && (
                  <Checkbox
                    checked={isGroup}
                    disabled={isAll}
                    onChange={(event) => toggle(`${group}.*`, event.currentTarget.checked)}
                    label={`${group}.*`}
                    fw={600}
                  />
                )}
                <Stack gap={2} pl={hasPattern ? 'lg' : 0} mt={2}>
                  {types.map((one) => (
                    <Group key={one.type} gap={4} wrap="nowrap" justify="space-between">
                      <Checkbox
                        checked={isGroup || value.includes(one.type)}
                        disabled={hasPattern ? isGroup : isAll}
                        onChange={(event) => toggle(one.type, event.currentTarget.checked)}
                        label={one.type}
                      />
                      <Button
                        size="compact-xs"
                        variant={previewed?.type === one.type ? 'light' : 'subtle'}
                        onClick={() => setPreviewed(one)}
                        aria-pressed={previewed?.type === one.type}
                        aria-label={`Show sample ${one.type} event`}
                        style={{ flexShrink: 0 }}
                      >
                        Sample
                      </Button>
                    </Group>
                  ))}
                </Stack>
              </div>
            );
          })}
        </Stack>
        {previewed && (
          <div style={{ position: 'sticky', top: 56, alignSelf: 'start' }}>
            <Snippet label={`Sample ${previewed.type} event`}>
              {JSON.stringify({ type: previewed.type, data: previewed.sample }, null, 2)}
            </Snippet>
            <Text size="xs" c="dimmed" mt={4}>
              Each event also includes its ID, time, organisation, environment, bot, conversation and actor.
            </Text>
          </div>
        )}
      </SimpleGrid>
    </Fieldset>
  );
}
