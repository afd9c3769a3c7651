import { Button, Group } from '@mantine/core';
import { api, call, useAction, WithReason } from '@parley/portal-kit/ui';
import { useState } from 'react';
import { useMe } from '../../parts/me.ts';
import { denialReason } from '../../parts/rights.ts';
import { ConfirmWithReason } from '../../parts/confirm-with-reason.tsx';
import type { Invocation } from './labels.ts';

type InvocationAction = 'resume' | 'cancel' | 'kill';

/** Actions on an invocation. Each dialog explains the effect. */
export function InvocationActions({ invocation }: { invocation: Invocation }) {
  const [chosen, setChosen] = useState<InvocationAction>();
  const disabledReason = denialReason(useMe(), 'platform.system.manage');
  const requestWith = (reason: string) => ({ params: { path: { id: invocation.id } }, body: { reason } });
  const runAction = useAction((action: InvocationAction, reason: string) => {
    if (action === 'resume') return call(api.POST('/admin/invocations/{id}/resume', requestWith(reason)));
    if (action === 'cancel') return call(api.POST('/admin/invocations/{id}/cancel', requestWith(reason)));
    return call(api.POST('/admin/invocations/{id}/kill', requestWith(reason)));
  });
  const isPaused = invocation.status === 'paused';
  const labels: Record<InvocationAction, { label: string; title: string; text: string }> = {
    resume: {
      label: isPaused ? 'Resume' : 'Retry now',
      title: isPaused ? 'Resume this invocation' : 'Retry this invocation now',
      text: 'Continues from the last completed step. If the cause isn’t fixed, it fails again.',
    },
    cancel: {
      label: 'Cancel',
      title: 'Cancel this invocation',
      text: `Stops at the next step. Its worker must be running. ${invocation.afterKill}`,
    },
    kill: {
      label: 'Kill',
      title: 'Kill this invocation',
      text: `Stops immediately. A step already in progress may still complete. ${invocation.afterKill}`,
    },
  };
  const actions: InvocationAction[] =
    isPaused || invocation.status === 'backing-off' ? ['resume', 'cancel', 'kill'] : ['cancel', 'kill'];
  return (
    <>
      <WithReason reason={disabledReason}>
        <Group gap={4} justify="flex-end" wrap="nowrap">
          {actions.map((action) => (
            <Button
              key={action}
              size="compact-xs"
              variant={action === 'resume' ? 'light' : 'default'}
              disabled={disabledReason !== undefined}
              onClick={() => setChosen(action)}
            >
              {labels[action].label}
            </Button>
          ))}
        </Group>
      </WithReason>
      {chosen && (
        <ConfirmWithReason
          title={labels[chosen].title}
          confirmLabel={labels[chosen].label}
          isDangerous={chosen === 'kill'}
          action={runAction}
          onSend={(reason) => void runAction.run(chosen, reason).then((done) => done && setChosen(undefined))}
          onClose={() => {
            runAction.clear();
            setChosen(undefined);
          }}
        >
          {labels[chosen].text}
        </ConfirmWithReason>
      )}
    </>
  );
}
