import { Button, Checkbox, Fieldset, Group, NativeSelect, NumberInput, Stack, Text } from '@mantine/core';
import { HeaderFields, type HeaderField } from './header-fields.tsx';
import type { WebhookChoices } from './webhook-choices.ts';
import type { Webhook } from './webhook-labels.ts';

interface Props {
  webhook: Webhook | undefined;
  bots: WebhookChoices['bots'];
  botIds: string[];
  onBotIds(botIds: string[]): void;
  headers: HeaderField[];
  onHeaders(headers: HeaderField[]): void;
  isUrlChanged: boolean;
  /** New header values are entered, in place of the saved ones. */
  isReplacing: boolean;
  onReplace(): void;
}

/** Whether an endpoint has settings that most endpoints don't. */
export const hasAdvancedSettings = ({ botIds, headerNames, rateLimit, ordering, autoRecover }: Webhook): boolean =>
  botIds.length > 0 || headerNames.length > 0 || rateLimit !== 50 || ordering !== 'none' || !autoRecover;

/** Settings with a default that suits most endpoints. */
export function WebhookAdvanced({ webhook, bots, botIds, headers, ...props }: Props) {
  return (
    <Stack>
      {bots.length > 0 && (
        <Checkbox.Group
          label="Bots"
          description="Only events about these bots. Leave empty for all bots."
          value={botIds}
          onChange={props.onBotIds}
        >
          <Group mt="xs" gap="md">
            {bots.map(({ id, name }) => (
              <Checkbox key={id} value={id} label={name} />
            ))}
          </Group>
        </Checkbox.Group>
      )}
      <Group grow align="flex-start" preventGrowOverflow={false}>
        <NumberInput
          name="rateLimit"
          label="Max requests per second"
          defaultValue={webhook?.rateLimit ?? 50}
          min={1}
          max={10_000}
          allowDecimal={false}
          required
          withAsterisk={false}
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
        {props.isUrlChanged && webhook && webhook.headerNames.length > 0 && (
          <Text mb="xs">
            Enter these headers again for the new URL: {webhook.headerNames.join(', ')}. For your safety, saved values
            are not sent to another URL.
          </Text>
        )}
        {props.isReplacing ? (
          <HeaderFields fields={headers} onChange={props.onHeaders} />
        ) : (
          <Group justify="space-between">
            <Text>Unchanged: {webhook?.headerNames.join(', ')}</Text>
            <Button size="compact-sm" variant="default" onClick={props.onReplace}>
              Replace
            </Button>
          </Group>
        )}
      </Fieldset>
    </Stack>
  );
}
