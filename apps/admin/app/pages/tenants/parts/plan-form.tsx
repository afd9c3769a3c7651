import { Button, Group, Select, Stack, Table, Text } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import { api, call, ProblemText, Rows, Section, useAction, WithReason } from '@parley/portal-kit/ui';
import { useState, type FormEvent } from 'react';
import { useMe } from '../../../parts/me.ts';
import { whyNot } from '../../../parts/rights.ts';
import { entitlementNames, entitlements, isPlan, plans, valueWord, type Entitlement } from '../labels.ts';
import { OverrideField } from './override-field.tsx';

type Held = Schemas['EntitlementsInFull'];
/** What stands in each field: null is "as in the plan", and nothing typed is no number yet. */
export type Wanted = Record<Entitlement, number | null | ''>;

const wantedOf = ({ overrides }: Held): Wanted =>
  Object.fromEntries(
    entitlementNames.map((name) => [name, overrides.find((one) => one.name === name)?.value ?? null]),
  ) as Wanted;

export function PlanForm({ tenantId, held }: { tenantId: string; held: Held }) {
  const reason = whyNot(useMe(), 'platform.tenant.manage');
  const before = wantedOf(held);
  const [plan, setPlan] = useState(held.plan);
  const [wanted, setWanted] = useState(before);
  const [isSaved, setSaved] = useState(false);
  const changed = entitlementNames.filter((name) => wanted[name] !== before[name]);
  const isChanged = plan !== held.plan || changed.length > 0;
  const isWhole = changed.every((name) => wanted[name] !== '');
  const save = useAction(() =>
    call(
      api.PATCH('/admin/tenants/{id}/entitlements', {
        params: { path: { id: tenantId } },
        body: {
          ...(plan !== held.plan && { plan }),
          overrides: Object.fromEntries(changed.map((name) => [name, wanted[name]])),
        },
      }),
    ),
  );
  const send = async (event: FormEvent) => {
    event.preventDefault();
    setSaved((await save.run()) !== undefined);
  };
  const set = (name: Entitlement) => (value: number | null | '') => {
    setSaved(false);
    setWanted((all) => ({ ...all, [name]: value }));
  };
  return (
    <Section title="Plan and limits" about="Changes take effect within 5 seconds.">
      <form onSubmit={(event) => void send(event)}>
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
          <Rows label="Plan and limits table" heads={['Entitlement', 'This tenant']} minWidth={280}>
            {entitlementNames.map((name) => (
              <Table.Tr key={name}>
                <Table.Td>
                  {entitlements[name].label}
                  <Text size="xs" c="dimmed">
                    Plan default: {valueWord(name, held.plans[plan][name])}
                  </Text>
                </Table.Td>
                <Table.Td>
                  <OverrideField
                    name={name}
                    value={wanted[name]}
                    planValue={held.plans[plan][name]}
                    setBy={held.overrides.find((one) => one.name === name)}
                    isDisabled={reason !== undefined}
                    onChange={set(name)}
                  />
                </Table.Td>
              </Table.Tr>
            ))}
          </Rows>
          <ProblemText problem={save.problem} />
          <Group gap="xs">
            <WithReason reason={reason}>
              <Button type="submit" disabled={reason !== undefined || !isChanged || !isWhole} loading={save.isRunning}>
                Save plan and limits
              </Button>
            </WithReason>
            {isChanged && (
              <Button
                variant="subtle"
                onClick={() => {
                  setPlan(held.plan);
                  setWanted(before);
                }}
              >
                Discard changes
              </Button>
            )}
          </Group>
          <Text role="status">{isSaved && !isChanged && 'Saved. Changes take effect within 5 seconds.'}</Text>
        </Stack>
      </form>
    </Section>
  );
}
