import { Button, Checkbox, Fieldset, Group, NativeSelect, NumberInput, Stack, Text, TextInput } from '@mantine/core';
import { type Problem, ProblemText, textIn } from '@parley/portal-kit/ui';
import { useState, type FormEvent } from 'react';
import { EventPicker } from './event-picker.tsx';
import { HeaderFields, toHeaders, type HeaderField } from './header-fields.tsx';
import type { WebhookChoices } from './webhook-choices.ts';
import type { EventPattern, Webhook } from './webhook-words.ts';

export interface Wanted {
  url: string;
  description: string;
  eventTypes: EventPattern[];
  environmentId: string | null;
  botIds: string[];
  rateLimit: number;
  ordering: Webhook['ordering'];
  autoRecover: boolean;
  headers?: Record<string, string>;
}
interface FieldProps {
  choices: WebhookChoices;
  onClose(): void;
  webhook?: Webhook;
  verb: string;
  isRunning: boolean;
  problem: Problem | undefined;
  onSend(wanted: Wanted): void;
}

export function WebhookFields({ webhook, choices, verb, isRunning, problem, onSend, onClose }: FieldProps) {
  const [eventTypes, setEventTypes] = useState<string[]>(webhook?.eventTypes ?? []);
  const [botIds, setBotIds] = useState(webhook?.botIds ?? []);
  const [headers, setHeaders] = useState<HeaderField[]>([]);
  const [url, setUrl] = useState(webhook?.url ?? '');
  // Values of headers are never shown again: without a word about them they stay as they are, but for another address.
  const [isWanted, setWanted] = useState(!webhook || webhook.headerNames.length === 0);
  const isElsewhere = webhook !== undefined && url !== webhook.url;
  const isReplacing = isWanted || isElsewhere;
  const [isEmpty, setEmpty] = useState(false);

  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setEmpty(eventTypes.length === 0);
    if (eventTypes.length === 0) return;
    const form = new FormData(event.currentTarget);
    const text = (name: string) => textIn(form, name);
    onSend({
      url: text('url'),
      description: text('description'),
      eventTypes: eventTypes as EventPattern[],
      environmentId: text('environmentId') || null,
      botIds,
      rateLimit: Number(text('rateLimit')),
      ordering: text('ordering') as Webhook['ordering'],
      autoRecover: form.has('autoRecover'),
      ...(isReplacing && { headers: toHeaders(headers) }),
    });
  };
  return (
    <form onSubmit={send}>
      <Stack>
        <TextInput
          name="url"
          type="url"
          label="Address"
          description="It must begin with https:// and be reachable from the internet."
          placeholder="https://shop.example/hooks"
          value={url}
          onChange={(event) => setUrl(event.currentTarget.value)}
          required
          data-autofocus
        />
        <TextInput
          name="description"
          label="Description (optional)"
          defaultValue={webhook?.description}
          maxLength={200}
        />
        <EventPicker eventTypes={choices.eventTypes} value={eventTypes} onChange={setEventTypes} />
        {isEmpty && eventTypes.length === 0 && (
          <Text c="var(--mantine-color-error)" role="alert">
            Choose at least one kind of event.
          </Text>
        )}
        <NativeSelect
          name="environmentId"
          label="Environment"
          defaultValue={webhook?.environmentId ?? ''}
          data={[
            { value: '', label: 'All environments' },
            ...choices.environments.map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
        {choices.bots.length > 0 && (
          <Checkbox.Group
            label="Bots"
            description="Only what concerns these. Choose none for all."
            value={botIds}
            onChange={setBotIds}
          >
            <Group mt="xs" gap="md">
              {choices.bots.map(({ id, name }) => (
                <Checkbox key={id} value={id} label={name} />
              ))}
            </Group>
          </Checkbox.Group>
        )}
        <Group grow align="flex-start">
          <NumberInput
            name="rateLimit"
            label="Calls per second at most"
            defaultValue={webhook?.rateLimit ?? 50}
            min={1}
            max={10_000}
            allowDecimal={false}
            required
          />
          <NativeSelect
            name="ordering"
            label="Order"
            defaultValue={webhook?.ordering ?? 'none'}
            data={[
              { value: 'none', label: 'As they come (fastest)' },
              { value: 'conversation', label: 'In order within a conversation' },
            ]}
          />
        </Group>
        <Checkbox
          name="autoRecover"
          defaultChecked={webhook?.autoRecover ?? true}
          label="Try again by itself after it was disabled"
        />
        <Fieldset legend="Headers of your own">
          {isElsewhere && webhook.headerNames.length > 0 && (
            <Text mb="xs">
              With another address, enter them again: {webhook.headerNames.join(', ')}. Their values are not sent to it
              by themselves.
            </Text>
          )}
          {isReplacing ? (
            <HeaderFields fields={headers} onChange={setHeaders} />
          ) : (
            <Group justify="space-between">
              <Text>Kept as they are: {webhook?.headerNames.join(', ')}</Text>
              <Button size="compact-sm" variant="default" onClick={() => setWanted(true)}>
                Replace them
              </Button>
            </Group>
          )}
        </Fieldset>
        <ProblemText problem={problem} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={isRunning}>
            {verb}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
