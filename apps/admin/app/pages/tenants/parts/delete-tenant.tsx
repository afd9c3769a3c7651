import { Button, List, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { api, call, Section, TextLink, useAction, WithReason } from '@parley/portal-kit/ui';
import { useMe } from '../../../parts/me.ts';
import { whyNot } from '../../../parts/rights.ts';
import { useTenant } from '../tenant.tsx';
import { day } from '../words.ts';
import { EffectList, type Effects } from './effects.tsx';
import { ReasonDialog } from './reason-dialog.tsx';

const What = () => (
  <List spacing={4}>
    <List.Item>Within five seconds it is shut, as if it were suspended.</List.Item>
    <List.Item>For 30 days everything is kept, and you can restore it here.</List.Item>
    <List.Item>
      After that all of it is erased for good, and nobody can bring it back. A receipt of it is kept under{' '}
      <TextLink to="/erasures">Erasures</TextLink>.
    </List.Item>
    <List.Item>Accounts of members who belong to no other tenant are erased with it.</List.Item>
  </List>
);

export function DeleteTenant({ effects }: { effects: Effects }) {
  const { tenant } = useTenant();
  const cannot = whyNot(useMe(), 'platform.tenant.manage');
  const [isOpen, { open, close }] = useDisclosure();
  const remove = useAction(async (reason: string) => {
    await call(api.DELETE('/admin/tenants/{id}', { params: { path: { id: tenant.id } }, body: { reason } }));
    close();
  });
  return (
    <Section title="Delete">
      <What />
      <WithReason reason={cannot}>
        <Button color="red" variant="outline" w="fit-content" disabled={cannot !== undefined} onClick={open}>
          Delete tenant
        </Button>
      </WithReason>
      <ReasonDialog
        isOpen={isOpen}
        title={`Delete ${tenant.name}?`}
        name={tenant.name}
        verb="Delete tenant"
        isDangerous
        isRunning={remove.isRunning}
        problem={remove.problem}
        onConfirm={(reason) => void remove.run(reason)}
        onClose={() => {
          remove.forget();
          close();
        }}
      >
        {tenant.status === 'active' && <EffectList effects={effects} />}
        <What />
        <Text mt="xs">If you last proved who you are more than five minutes ago, you are asked again.</Text>
      </ReasonDialog>
    </Section>
  );
}

export function RestoreTenant() {
  const { tenant, overview } = useTenant();
  const cannot = whyNot(useMe(), 'platform.tenant.manage');
  const [isOpen, { open, close }] = useDisclosure();
  const restore = useAction(async (reason: string) => {
    await call(api.POST('/admin/tenants/{id}/restore', { params: { path: { id: tenant.id } }, body: { reason } }));
    close();
  });
  return (
    <Section title="Restore">
      <Text>
        {overview.erasedAfter
          ? `Until ${day(overview.erasedAfter)} it can be restored as it was: people, bots, keys and all else. After that day it is erased for good, and its receipt stands under `
          : 'Its receipt will stand under '}
        <TextLink to="/erasures">Erasures</TextLink>.
      </Text>
      <WithReason reason={cannot}>
        <Button w="fit-content" disabled={cannot !== undefined} onClick={open}>
          Restore tenant
        </Button>
      </WithReason>
      <ReasonDialog
        isOpen={isOpen}
        title={`Restore ${tenant.name}?`}
        verb="Restore tenant"
        isRunning={restore.isRunning}
        problem={restore.problem}
        onConfirm={(reason) => void restore.run(reason)}
        onClose={() => {
          restore.forget();
          close();
        }}
      >
        Within five seconds its people, bots, keys and webhooks go on.
      </ReasonDialog>
    </Section>
  );
}
