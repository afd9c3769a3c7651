import { Button, Group, NumberInput, Select, Stack, Text } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import { Ago } from '@parley/portal-kit/ui';
import { entitlements, type Entitlement } from '../labels.ts';

interface Props {
  name: Entitlement;
  value: number | null | '';
  planValue: number;
  setBy: Schemas['EntitlementsInFull']['overrides'][number] | undefined;
  isDisabled: boolean;
  onChange(value: number | null | ''): void;
}

/** An entitlement: the tenant's override or the plan's value. */
export const OverrideField = ({ name, value, planValue, setBy, isDisabled, onChange }: Props) => (
  <Stack gap={2}>
    {entitlements[name].isFeature ? (
      <Select
        aria-label={`${entitlements[name].label} for this tenant`}
        data={[
          { value: 'plan', label: 'Plan default' },
          { value: '1', label: 'On' },
          { value: '0', label: 'Off' },
        ]}
        value={value === null ? 'plan' : String(value)}
        onChange={(chosen) => onChange(chosen === 'plan' || chosen === null ? null : Number(chosen))}
        allowDeselect={false}
        disabled={isDisabled}
        w={140}
      />
    ) : value === null ? (
      <Group gap="xs">
        <Text>Plan default</Text>
        {!isDisabled && (
          <Button
            size="compact-xs"
            variant="subtle"
            onClick={() => onChange(planValue)}
            aria-label={`Override ${entitlements[name].label} for this tenant`}
          >
            Override
          </Button>
        )}
      </Group>
    ) : (
      <Group gap="xs">
        <NumberInput
          aria-label={`${entitlements[name].label} for this tenant`}
          value={value}
          onChange={(typed) => onChange(typed === '' ? '' : Number(typed))}
          min={0}
          max={1_000_000_000}
          allowDecimal={false}
          allowNegative={false}
          thousandSeparator=","
          disabled={isDisabled}
          w={140}
        />
        {!isDisabled && (
          <Button
            size="compact-xs"
            variant="subtle"
            onClick={() => onChange(null)}
            aria-label={`Reset ${entitlements[name].label} to plan default`}
          >
            Reset to plan default
          </Button>
        )}
      </Group>
    )}
    {setBy?.changedAt && (
      <Text size="xs" c="dimmed">
        Set by {setBy.changedByEmail ?? 'a platform admin'}, <Ago at={setBy.changedAt} />
      </Text>
    )}
  </Stack>
);
