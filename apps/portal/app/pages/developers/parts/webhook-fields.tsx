import { Box, Button, Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import { errorsByField, type Problem, ProblemText, TextLink, trimmedField } from '@parley/portal-kit/ui';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useState, type FormEvent, type ReactNode } from 'react';
import { useMe } from '../../../parts/me.ts';
import { planWith } from '../../../parts/rights.ts';
import { EventPicker } from './event-picker.tsx';
import { toHeaders, type HeaderField } from './header-fields.tsx';
import { hasAdvancedSettings, WebhookAdvanced } from './webhook-advanced.tsx';
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

/** What an endpoint needs, and the rest behind “Advanced settings”. The buttons stay in view. */
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
  const [isOpen, setOpen] = useState(webhook !== undefined && hasAdvancedSettings(webhook));
  const isAdvanced = isOpen || (isUrlChanged && webhook.headerNames.length > 0); // they must be entered again
  const { errors, other } = errorsByField(problem, ['url']);

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
    // A hidden field can't show what is wrong with it.
    <form onSubmit={send} onInvalidCapture={() => setOpen(true)}>
      <Stack>
        <TextInput
          name="url"
          type="url"
          label="URL"
          description="Must start with https:// and be reachable from the internet."
          placeholder="https://shop.example/hooks"
          value={url}
          onChange={(event) => setUrl(event.currentTarget.value)}
          error={errors.url}
          required
          data-autofocus
        />
        <EventPicker
          eventTypes={choices.eventTypes}
          value={eventTypes}
          onChange={setEventTypes}
          error={isEmpty && eventTypes.length === 0 ? 'Choose at least one event.' : undefined}
        />
        <EnvironmentSelect environments={choices.environments} webhook={webhook} />
        <TextInput
          name="description"
          label="Description (optional)"
          defaultValue={webhook?.description}
          maxLength={200}
        />
        <Button
          variant="subtle"
          w="fit-content"
          px={4}
          leftSection={isAdvanced ? <IconChevronDown size={16} /> : <IconChevronRight size={16} />}
          aria-expanded={isAdvanced}
          onClick={() => setOpen(!isAdvanced)}
        >
          Advanced settings
        </Button>
        {/* Hidden rather than removed, so that its values are sent. */}
        <div hidden={!isAdvanced}>
          <WebhookAdvanced
            webhook={webhook}
            bots={choices.bots}
            botIds={botIds}
            onBotIds={setBotIds}
            headers={headers}
            onHeaders={setHeaders}
            isUrlChanged={isUrlChanged}
            isReplacing={isReplacing}
            onReplace={() => setEditingHeaders(true)}
          />
        </div>
        <ProblemText problem={other} />
      </Stack>
      <Footer>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" loading={isRunning}>
          {submitLabel}
        </Button>
      </Footer>
    </form>
  );
}

/** Stays at the bottom of the dialog while its content scrolls. */
const Footer = ({ children }: { children: ReactNode }) => (
  <Box
    pos="sticky"
    bottom={0}
    mx="-md"
    mb="-md"
    mt="md"
    px="md"
    py="sm"
    bg="var(--mantine-color-body)"
    style={{ borderTop: '1px solid var(--mantine-color-default-border)', zIndex: 5 }}
  >
    <Group justify="flex-end" gap="xs">
      {children}
    </Group>
  </Box>
);

function EnvironmentSelect({
  environments,
  webhook,
}: {
  environments: WebhookChoices['environments'];
  webhook: Webhook | undefined;
}) {
  const hasLive = useMe().entitlements.live_webhooks > 0;
  return (
    <div>
      <NativeSelect
        name="environmentId"
        label="Environment"
        defaultValue={webhook?.environmentId ?? (hasLive ? '' : environments.find(isTest)?.id)}
        data={[
          { value: '', label: 'All environments', disabled: !hasLive },
          ...environments.map((one) => ({ value: one.id, label: one.name, disabled: !hasLive && !isTest(one) })),
        ]}
      />
      {!hasLive && (
        <Box mt={4} fz="sm" c="dimmed">
          {planWith('live_webhooks')} <TextLink to="/organisation/plans">Compare plans</TextLink>
        </Box>
      )}
    </div>
  );
}
