import { Button, Group } from '@mantine/core';
import { api, call, useAction, WithReason } from '@parley/portal-kit/ui';
import { useState } from 'react';
import { useMe } from '../../parts/me.ts';
import { whyNot } from '../../parts/rights.ts';
import { AskReason } from '../../parts/ask-reason.tsx';
import type { Invocation } from './labels.ts';

type Verb = 'resume' | 'cancel' | 'kill';

/** What can be done about one. Each says beforehand what becomes of the work. */
export function InvocationActions({ invocation }: { invocation: Invocation }) {
  const [chosen, setChosen] = useState<Verb>();
  const reason = whyNot(useMe(), 'platform.system.manage');
  const asked = (why: string) => ({ params: { path: { id: invocation.id } }, body: { reason: why } });
  const act = useAction((verb: Verb, why: string) => {
    if (verb === 'resume') return call(api.POST('/admin/invocations/{id}/resume', asked(why)));
    if (verb === 'cancel') return call(api.POST('/admin/invocations/{id}/cancel', asked(why)));
    return call(api.POST('/admin/invocations/{id}/kill', asked(why)));
  });
  const isPaused = invocation.status === 'paused';
  const words: Record<Verb, { label: string; title: string; text: string }> = {
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
  const verbs: Verb[] =
    isPaused || invocation.status === 'backing-off' ? ['resume', 'cancel', 'kill'] : ['cancel', 'kill'];
  return (
    <>
      <WithReason reason={reason}>
        <Group gap={4} justify="flex-end" wrap="nowrap">
          {verbs.map((verb) => (
            <Button
              key={verb}
              size="compact-xs"
              variant={verb === 'resume' ? 'light' : 'default'}
              disabled={reason !== undefined}
              onClick={() => setChosen(verb)}
            >
              {words[verb].label}
            </Button>
          ))}
        </Group>
      </WithReason>
      {chosen && (
        <AskReason
          title={words[chosen].title}
          verb={words[chosen].label}
          isDangerous={chosen === 'kill'}
          action={act}
          onSend={(why) => void act.run(chosen, why).then((done) => done && setChosen(undefined))}
          onClose={() => {
            act.clear();
            setChosen(undefined);
          }}
        >
          {words[chosen].text}
        </AskReason>
      )}
    </>
  );
}
