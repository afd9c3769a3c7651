import { Button, Checkbox, Fieldset, Group, NativeSelect, NumberInput, Stack, Text, TextInput } from '@mantine/core';
import { type Problem, ProblemText, trimmedField } from '@parley/portal-kit/ui';
import { useState, type FormEvent } from 'react';
import { useMe } from '../../../parts/me.ts';
import { planWith } from '../../../parts/rights.ts';
import { EventPicker } from './event-picker.tsx';
import { HeaderFields, toHeaders, type HeaderField } from './header-fields.tsx';
import type { WebhookChoices } from './webhook-choices.ts';
import type { EventPattern, Webhook } from './webhook-labels.ts';

export interface WebhookInput {
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
const isTest = ({ name }: { name: string }) => name !== 'live';

interface FieldProps {
  choices: WebhookChoices;
  onClose(): void;
  webhook?: Webhook;
  submitLabel: string;
  isRunning: boolean;
  problem: Problem | undefined;
  onSend(input: WebhookInput): void;
}

export function WebhookFields({ webhook, choices, submitLabel, isRunning, problem, onSend, onClose }: FieldProps) {
  const [eventTypes, setEventTypes] = useState<string[]>(webhook?.eventTypes ?? []);
  const [botIds, setBotIds] = useState(webhook?.botIds ?? []);
  const [headers, setHeaders] = useState<HeaderField[]>([]);
  const [url, setUrl] = useState(webhook?.url ?? '');
  // Header values are never shown again. They are kept unless the URL changes.
  const [isEditingHeaders, setEditingHeaders] = useState(!webhook || webhook.headerNames.length === 0);
  const isUrlChanged = webhook !== undefined && url !== webhook.url;
  const isReplacing = isEditingHeaders || isUrlChanged;
  const [isEmpty, setEmpty] = useState(false);
  const hasLive = useMe().entitlements.live_webhooks > 0;

  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setEmpty(eventTypes.length === 0);
    if (eventTypes.length === 0) return;
    const form = new FormData(event.currentTarget);
    const text = (name: string) => trimmedField(form, name);
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
          label="URL"
          description="Must start with https:// and be reachable from the internet."
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
            Choose at least one event.
          </Text>
        )}
        <NativeSelect
          name="environmentId"
          label="Environment"
          {...(!hasLive && { description: planWith('live_webhooks') })}
          defaultValue={webhook?.environmentId ?? (hasLive ? '' : choices.environments.find(isTest)?.id)}
          data={[
            { value: '', label: 'All environments', disabled: !hasLive },
            ...choices.environments.map((one) => ({
              value: one.id,
              label: one.name,
              disabled: !hasLive && !isTest(one),
            })),
          ]}
        />
        {choices.bots.length > 0 && (
          <Checkbox.Group
            label="Bots"
            description="Only events about these bots. Leave empty for all bots."
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
            label="Max requests per second"
            defaultValue={webhook?.rateLimit ?? 50}
            min={1}
            max={10_000}
            allowDecimal={false}
            required
          />
          <NativeSelect
            name="ordering"
            label="Ordering"
            defaultValue={webhook?.ordering ?? 'none'}
            data={[
              { value: 'none', label: 'None (fastest)' },
              { value: 'conversation', label: 'In order within each conversation' },
            ]}
          />
        </Group>
        <Checkbox
          name="autoRecover"
          defaultChecked={webhook?.autoRecover ?? true}
          label="Re-enable automatically when the endpoint recovers"
        />
        <Fieldset legend="Custom headers">
          {isUrlChanged && webhook.headerNames.length > 0 && (
            <Text mb="xs">
              Enter these headers again for the new URL: {webhook.headerNames.join(', ')}. For your safety, saved values
              are not sent to another URL.
            </Text>
          )}
          {isReplacing ? (
            <HeaderFields fields={headers} onChange={setHeaders} />
          ) : (
            <Group justify="space-between">
              <Text>Unchanged: {webhook?.headerNames.join(', ')}</Text>
              <Button size="compact-sm" variant="default" onClick={() => setEditingHeaders(true)}>
                Replace
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
            {submitLabel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
