import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { api, call, ProblemText, Section, useAction, WithReason } from '@parley/portal-kit/ui';
import { useMe } from '../../../parts/me.ts';
import { denialReason } from '../../../parts/rights.ts';
import { useTenant } from '../tenant.tsx';
import { EffectList, type Effects } from './effects.tsx';
import { ReasonDialog } from './reason-dialog.tsx';

export function SuspendTenant({ effects }: { effects: Effects }) {
  const { tenant } = useTenant();
  const disabledReason = denialReason(useMe(), 'platform.tenant.manage');
  const [isOpen, { open, close }] = useDisclosure();
  const suspend = useAction(async (reason: string) => {
    await call(api.POST('/admin/tenants/{id}/suspend', { params: { path: { id: tenant.id } }, body: { reason } }));
    close();
  });
  const description = (
    <>
      <Text mb="xs">Within 5 seconds:</Text>
      <EffectList effects={effects} />
      <Text mt="xs">No data is lost. Everything works again when you resume the tenant.</Text>
    </>
  );
  return (
    <Section title="Suspend">
      <div>{description}</div>
      <WithReason reason={disabledReason}>
        <Button color="red" variant="outline" w="fit-content" disabled={disabledReason !== undefined} onClick={open}>
          Suspend tenant
        </Button>
      </WithReason>
      <ReasonDialog
        isOpen={isOpen}
        title={`Suspend ${tenant.name}?`}
        confirmLabel="Suspend tenant"
        isDangerous
        isRunning={suspend.isRunning}
        problem={suspend.problem}
        onConfirm={(reason) => void suspend.run(reason)}
        onClose={() => {
          suspend.clear();
          close();
        }}
      >
        {description}
      </ReasonDialog>
    </Section>
  );
}

export function ResumeTenant() {
  const { tenant } = useTenant();
  const disabledReason = denialReason(useMe(), 'platform.tenant.manage');
  const resume = useAction(() => call(api.POST('/admin/tenants/{id}/resume', { params: { path: { id: tenant.id } } })));
  return (
    <Section title="Resume">
      <Text>Members, bots, keys and webhooks work again within 5 seconds. Queued deliveries are sent.</Text>
      <WithReason reason={disabledReason}>
        <Button
          w="fit-content"
          disabled={disabledReason !== undefined}
          loading={resume.isRunning}
          onClick={() => void resume.run()}
        >
          Resume tenant
        </Button>
      </WithReason>
      <ProblemText problem={resume.problem} />
    </Section>
  );
}
