import { Button, Divider, Group, Progress, Stack, Text, Textarea } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import {
  Ago,
  api,
  call,
  Dialog,
  ProblemText,
  Section,
  trimmedField,
  TimeRange,
  timeRangeIn,
  useAction,
  WithReason,
} from '@parley/portal-kit/ui';
import { Fragment, useState, type FormEvent } from 'react';
import { useMe } from '../../parts/me.ts';
import { denialReason } from '../../parts/rights.ts';

type Endpoint = Schemas['SupportedEndpointDetail'];
type Replay = Schemas['SupportedReplay'];

/** Replays failed deliveries. Recent replays stay listed, so that progress can be checked later. */
export function Replays({ endpoint }: { endpoint: Endpoint }) {
  const [isOpen, setOpen] = useState(false);
  const reason = denialReason(useMe(), 'platform.tenant.manage');
  return (
    <Section
      title="Replay"
      description="Sends undelivered events again, with the same IDs and payloads."
      actions={
        <WithReason reason={reason}>
          <Button size="xs" variant="default" disabled={!!reason} onClick={() => setOpen(true)}>
            Replay events
          </Button>
        </WithReason>
      }
    >
      {endpoint.replays.length === 0 ? (
        <Text c="dimmed">No replays yet. To resend a single delivery, open it from the list below.</Text>
      ) : (
        endpoint.replays.map((replay, n) => (
          <Fragment key={replay.id}>
            {n > 0 && <Divider />}
            <ReplayProgress replay={replay} waiting={endpoint.waiting} />
          </Fragment>
        ))
      )}
      <StartReplay endpoint={endpoint} isOpen={isOpen} onClose={() => setOpen(false)} />
    </Section>
  );
}

const exact = (at: string) => `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`;

function ReplayProgress({ replay, waiting }: { replay: Replay; waiting: number }) {
  const { state, queued, total, since, until, createdAt } = replay;
  const percent = state === 'running' ? Math.round((queued / Math.max(total, 1)) * 100) : 100;
  return (
    <Stack gap={4}>
      <Text>
        From {exact(since)} to {exact(until)}, started <Ago at={createdAt} />.
      </Text>
      <Progress.Root size="lg">
        <Progress.Section value={percent} animated={state === 'running'} aria-label="Replay progress" />
      </Progress.Root>
      <Text role="status">{describeReplay(replay, waiting)}</Text>
    </Stack>
  );
}

function describeReplay({ state, queued, total }: Replay, waiting: number): string {
  if (state === 'running') return `${queued} of ${total} queued so far.`;
  if (state === 'cancelled') return `Cancelled after queuing ${queued}.`;
  if (queued === 0) return 'Done. There were no undelivered events in this range.';
  return `Done. ${queued} queued again${waiting > 0 ? `. ${waiting} still pending for this endpoint` : ', none pending'}.`;
}

function StartReplay({ endpoint, isOpen, onClose }: { endpoint: Endpoint; isOpen: boolean; onClose(): void }) {
  const path = { id: endpoint.tenantId, webhookId: endpoint.id };
  const start = useAction((body: { since: string; until: string; reason: string }) =>
    call(api.POST('/admin/tenants/{id}/webhooks/{webhookId}/replay', { params: { path }, body })),
  );
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    void start.run({ ...timeRangeIn(form), reason: trimmedField(form, 'reason') }).then((done) => done && onClose());
  };
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title="Replay events">
      <form onSubmit={send}>
        <Stack>
          <Text>
            Sends every undelivered event in this time range to {endpoint.host} again. Delivered events are skipped.
          </Text>
          <TimeRange />
          <Reason />
          <ProblemText problem={start.problem} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={start.isRunning}>
              Start replay
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

/** Confirms a change on behalf of a tenant. */
export const Reason = () => (
  <Textarea
    name="reason"
    label="Reason"
    description="The tenant sees this and your name in its audit log."
    minLength={3}
    maxLength={500}
    required
    autosize
    minRows={2}
  />
);
