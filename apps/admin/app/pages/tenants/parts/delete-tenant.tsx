import { Button, List, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { api, call, Section, TextLink, useAction, WithReason } from '@parley/portal-kit/ui';
import { useMe } from '../../../parts/me.ts';
import { denialReason } from '../../../parts/rights.ts';
import { useTenant } from '../tenant.tsx';
import { day } from '../labels.ts';
import { EffectList, type Effects } from './effects.tsx';
import { ReasonDialog } from './reason-dialog.tsx';

const DeletionEffects = () => (
  <List spacing={4}>
    <List.Item>The tenant is suspended within 5 seconds.</List.Item>
    <List.Item>You can restore it here for 30 days.</List.Item>
    <List.Item>
      After 30 days, all its data is permanently erased. A receipt is kept under{' '}
      <TextLink to="/erasures">Erasures</TextLink>.
    </List.Item>
    <List.Item>Accounts of members who belong to no other tenant are erased too.</List.Item>
  </List>
);

export function DeleteTenant({ effects }: { effects: Effects }) {
  const { tenant } = useTenant();
  const disabledReason = denialReason(useMe(), 'platform.tenant.manage');
  const [isOpen, { open, close }] = useDisclosure();
  const remove = useAction(async (reason: string) => {
    await call(api.DELETE('/admin/tenants/{id}', { params: { path: { id: tenant.id } }, body: { reason } }));
    close();
  });
  return (
    <Section title="Delete">
      <DeletionEffects />
      <WithReason reason={disabledReason}>
        <Button color="red" variant="outline" w="fit-content" disabled={disabledReason !== undefined} onClick={open}>
          Delete tenant
        </Button>
      </WithReason>
      <ReasonDialog
        isOpen={isOpen}
        title={`Delete ${tenant.name}?`}
        name={tenant.name}
        confirmLabel="Delete tenant"
        isDangerous
        isRunning={remove.isRunning}
        problem={remove.problem}
        onConfirm={(reason) => void remove.run(reason)}
        onClose={() => {
          remove.clear();
          close();
        }}
      >
        {tenant.status === 'active' && <EffectList effects={effects} />}
        <DeletionEffects />
        <Text mt="xs">If you haven’t confirmed it’s you in the last 5 minutes, we’ll ask you to.</Text>
      </ReasonDialog>
    </Section>
  );
}

export function RestoreTenant() {
  const { tenant, overview } = useTenant();
  const disabledReason = denialReason(useMe(), 'platform.tenant.manage');
  const [isOpen, { open, close }] = useDisclosure();
  const restore = useAction(async (reason: string) => {
    await call(api.POST('/admin/tenants/{id}/restore', { params: { path: { id: tenant.id } }, body: { reason } }));
    close();
  });
  return (
    <Section title="Restore">
      <Text>
        {overview.erasedAfter
          ? `You can restore this tenant with all its members, bots and keys until ${day(overview.erasedAfter)}. After that, its data is permanently erased and a receipt is kept under `
          : 'A receipt will be kept under '}
        <TextLink to="/erasures">Erasures</TextLink>.
      </Text>
      <WithReason reason={disabledReason}>
        <Button w="fit-content" disabled={disabledReason !== undefined} onClick={open}>
          Restore tenant
        </Button>
      </WithReason>
      <ReasonDialog
        isOpen={isOpen}
        title={`Restore ${tenant.name}?`}
        confirmLabel="Restore tenant"
        isRunning={restore.isRunning}
        problem={restore.problem}
        onConfirm={(reason) => void restore.run(reason)}
        onClose={() => {
          restore.clear();
          close();
        }}
      >
        Members, bots, keys and webhooks work again within 5 seconds.
      </ReasonDialog>
    </Section>
  );
}
