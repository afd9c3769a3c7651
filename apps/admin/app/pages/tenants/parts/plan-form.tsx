import { Select, Stack, Table, Text } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import { api, call, Rows, SaveBar, Section, useAction } from '@parley/portal-kit/ui';
import { useState, type FormEvent } from 'react';
import { useMe } from '../../../parts/me.ts';
import { denialReason } from '../../../parts/rights.ts';
import { entitlementNames, entitlements, isPlan, plans, formatEntitlement, type Entitlement } from '../labels.ts';
import { OverrideField } from './override-field.tsx';

type TenantEntitlements = Schemas['EntitlementsInFull'];
/** The value of each field: null uses the plan's value, an empty string is not a number yet. */
export type OverrideValues = Record<Entitlement, number | null | ''>;

const toOverrideValues = ({ overrides }: TenantEntitlements): OverrideValues =>
  Object.fromEntries(
    entitlementNames.map((name) => [name, overrides.find((one) => one.name === name)?.value ?? null]),
  ) as OverrideValues;

export function PlanForm({ tenantId, current }: { tenantId: string; current: TenantEntitlements }) {
  const reason = denialReason(useMe(), 'platform.tenant.manage');
  const before = toOverrideValues(current);
  const [plan, setPlan] = useState(current.plan);
  const [values, setValues] = useState(before);
  const changed = entitlementNames.filter((name) => values[name] !== before[name]);
  const isChanged = plan !== current.plan || changed.length > 0;
  const isComplete = changed.every((name) => values[name] !== '');
  const save = useAction(
    () =>
      call(
        api.PATCH('/admin/tenants/{id}/entitlements', {
          params: { path: { id: tenantId } },
          body: {
            ...(plan !== current.plan && { plan }),
            overrides: Object.fromEntries(changed.map((name) => [name, values[name]])),
          },
        }),
      ),
    { success: 'Saved. Changes take effect within 5 seconds.' },
  );
  const send = (event: FormEvent) => {
    event.preventDefault();
    void save.run();
  };
  const set = (name: Entitlement) => (value: number | null | '') => setValues((all) => ({ ...all, [name]: value }));
  return (
    <Section title="Plan and limits" description="Changes take effect within 5 seconds.">
      <form onSubmit={send}>
        <Stack>
          <Select
            label="Plan"
            data={[...plans]}
            value={plan}
            onChange={(value) => isPlan(value) && setPlan(value)}
            allowDeselect={false}
            disabled={reason !== undefined}
            w={220}
          />
          <Rows label="Plan and limits table" columns={['Entitlement', 'This tenant']} minWidth={280}>
            {entitlementNames.map((name) => (
              <Table.Tr key={name}>
                <Table.Td>
                  {entitlements[name].label}
                  <Text size="xs" c="dimmed">
                    Plan default: {formatEntitlement(name, current.plans[plan][name])}
                  </Text>
                </Table.Td>
                <Table.Td>
                  <OverrideField
                    name={name}
                    value={values[name]}
                    planValue={current.plans[plan][name]}
                    setBy={current.overrides.find((one) => one.name === name)}
                    isDisabled={reason !== undefined}
                    onChange={set(name)}
                  />
                </Table.Td>
              </Table.Tr>
            ))}
          </Rows>
          <SaveBar
            isDirty={isChanged}
            onDiscard={() => {
              save.clear();
              setPlan(current.plan);
              setValues(before);
            }}
            isSaving={save.isRunning}
            problem={save.problem}
            saveLabel="Save plan and limits"
            reason={reason}
            isBlocked={!isComplete}
          />
        </Stack>
      </form>
    </Section>
  );
}
