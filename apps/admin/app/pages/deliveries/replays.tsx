import { Button, Divider, Group, Progress, Stack, Text, Textarea } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import {
  Ago,
  api,
  call,
  Dialog,
  ProblemText,
  Section,
  textIn,
  TimeRange,
  timeRangeIn,
  useAction,
  WithReason,
} from '@parley/portal-kit/ui';
import { Fragment, useState, type FormEvent } from 'react';
import { useMe } from '../../parts/me.ts';
import { whyNot } from '../../parts/rights.ts';

type Endpoint = Schemas['SupportedEndpointDetail'];
type Replay = Schemas['SupportedReplay'];

/** What did not arrive, once more. The last ones stay here, so one can be left and found again. */
export function Replays({ endpoint }: { endpoint: Endpoint }) {
  const [isOpen, setOpen] = useState(false);
  const reason = whyNot(useMe(), 'platform.tenant.manage');
  return (
    <Section
      title="Replay"
      about="Sends again what the tenant’s server did not get: the same events, with the same ids and bytes."
      actions={
        <WithReason reason={reason}>
          <Button size="xs" variant="default" disabled={!!reason} onClick={() => setOpen(true)}>
            Replay a range
          </Button>
        </WithReason>
      }
    >
      {endpoint.replays.length === 0 ? (
        <Text c="dimmed">No range was replayed yet. One delivery alone is replayed on its own page.</Text>
      ) : (
        endpoint.replays.map((replay, n) => (
          <Fragment key={replay.id}>
            {n > 0 && <Divider />}
            <Progressing replay={replay} waiting={endpoint.waiting} />
          </Fragment>
        ))
      )}
      <StartReplay endpoint={endpoint} isOpen={isOpen} onClose={() => setOpen(false)} />
    </Section>
  );
}

const exact = (at: string) => `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`;

function Progressing({ replay, waiting }: { replay: Replay; waiting: number }) {
  const { state, queued, total, since, until, createdAt } = replay;
  const percent = state === 'running' ? Math.round((queued / Math.max(total, 1)) * 100) : 100;
  return (
    <Stack gap={4}>
      <Text>
        From {exact(since)} to {exact(until)}, started <Ago at={createdAt} />.
      </Text>
      <Progress.Root size="lg">
        <Progress.Section value={percent} animated={state === 'running'} aria-label="Progress of the replay" />
      </Progress.Root>
      <Text role="status">{sentence(replay, waiting)}</Text>
    </Stack>
  );
}

function sentence({ state, queued, total }: Replay, waiting: number): string {
  if (state === 'running') return `${queued} of ${total} put into the queue so far.`;
  if (state === 'cancelled') return `Cancelled after ${queued}.`;
  if (queued === 0) return 'Done. Nothing in that range had failed.';
  return `Done. ${queued} put into the queue again${waiting > 0 ? `; ${waiting} of this endpoint still wait` : ', and none waits any more'}.`;
}

function StartReplay({ endpoint, isOpen, onClose }: { endpoint: Endpoint; isOpen: boolean; onClose(): void }) {
  const path = { id: endpoint.tenantId, webhookId: endpoint.id };
  const start = useAction((body: { since: string; until: string; reason: string }) =>
    call(api.POST('/admin/tenants/{id}/webhooks/{webhookId}/replay', { params: { path }, body })),
  );
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    void start.run({ ...timeRangeIn(form), reason: textIn(form, 'reason') }).then((done) => done && onClose());
  };
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title="Replay a range">
      <form onSubmit={send}>
        <Stack>
          <Text>
            Everything of that time which did not arrive is sent to {endpoint.host} again. What arrived is left out.
          </Text>
          <TimeRange />
          <Reason />
          <ProblemText problem={start.problem} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={start.isRunning}>
              Replay
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

/** Asked before anything is done for a tenant. */
export const Reason = () => (
  <Textarea
    name="reason"
    label="Reason"
    description="The tenant reads it in its audit log, with your name."
    minLength={3}
    maxLength={500}
    required
    autosize
    minRows={2}
  />
);
