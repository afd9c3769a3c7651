import { Button, Checkbox, Group, Progress, Stack, Text } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import {
  Ago,
  api,
  call,
  Dialog,
  ProblemText,
  Section,
  TimeRange,
  timeRangeIn,
  useAction,
  WithReason,
} from '@parley/portal-kit/ui';
import { useCallback, useState, type FormEvent } from 'react';
import { useRevalidator, useSearchParams } from 'react-router';
import { usePoll } from './poll.ts';
import { pluralize, deliveryStatuses, deliveryStatusLabels, type Delivery } from './webhook-labels.ts';

type Replay = Schemas['WebhookReplay'];
type FinalStatus = Exclude<Delivery['status'], 'pending'>;

interface Props {
  webhookId: string;
  replay: Replay | undefined;
  /** Number of pending deliveries of the endpoint. */
  waiting: number;
  isOnHold: boolean;
  reason: string | undefined;
}

/** Sends past events of a time range again. The replay ID is in the URL, so the progress can be found again. */
export function ReplaySection({ webhookId, replay, waiting, isOnHold, reason }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Section
      title="Replay"
      description="Sends past events again, with the same IDs and payloads."
      actions={
        <WithReason reason={reason}>
          <Button size="xs" variant="default" disabled={!!reason} onClick={() => setOpen(true)}>
            Replay events
          </Button>
        </WithReason>
      }
    >
      {replay ? (
        <Running {...{ webhookId, replay, waiting, isOnHold, reason }} />
      ) : (
        <Text c="dimmed">To resend a single delivery, open it from the list above.</Text>
      )}
      <StartReplay webhookId={webhookId} isOpen={isOpen} onClose={() => setOpen(false)} />
    </Section>
  );
}

function Running({ webhookId, replay, waiting, isOnHold, reason }: Props & { replay: Replay }) {
  const { state, queued } = replay;
  const { revalidate } = useRevalidator();
  const remaining = Math.min(waiting, queued);
  const isActive = state === 'running' || (remaining > 0 && !isOnHold);
  usePoll(
    isActive,
    2_000,
    useCallback(() => revalidate(), [revalidate]),
  );
  const cancel = useAction(() =>
    call(
      api.POST('/webhooks/{webhookId}/replays/{replayId}/cancel', {
        params: { path: { webhookId, replayId: replay.id } },
      }),
    ),
  );
  const percent = state === 'running' ? 100 : queued === 0 ? 100 : Math.round(((queued - remaining) / queued) * 100);
  return (
    <Stack gap="xs">
      <Text>
        From {exact(replay.since)} to {exact(replay.until)}, started <Ago at={replay.createdAt} />.
      </Text>
      <Progress.Root size="lg">
        <Progress.Section
          value={percent}
          striped={state === 'running'}
          animated={state === 'running'}
          aria-label="Replay progress"
          {...(state === 'running' && { 'aria-valuetext': `${queued} queued so far` })}
        />
      </Progress.Root>
      <Group justify="space-between">
        <Text role="status">{describeReplay(replay, remaining, isOnHold)}</Text>
        {state === 'running' && (
          <WithReason reason={reason}>
            <Button
              size="xs"
              variant="default"
              disabled={!!reason}
              loading={cancel.isRunning}
              onClick={() => void cancel.run()}
            >
              Cancel replay
            </Button>
          </WithReason>
        )}
      </Group>
      <ProblemText problem={cancel.problem} />
    </Stack>
  );
}

const exact = (at: string) => `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`;

function describeReplay({ state, queued }: Replay, remaining: number, isOnHold: boolean): string {
  const deliveries = pluralize(queued, 'delivery', 'deliveries');
  if (state === 'running') return `Queuing events: ${deliveries} queued so far.`;
  const ending =
    remaining === 0
      ? 'None pending.'
      : isOnHold
        ? `${remaining} on hold until the endpoint is active again.`
        : `${remaining} still pending.`;
  if (state === 'cancelled') return `Cancelled after queuing ${deliveries}. ${ending}`;
  if (queued === 0) return 'Done. No deliveries in this range have the statuses you selected.';
  return `Done. ${deliveries} queued again. ${ending}`;
}

interface StartProps {
  webhookId: string;
  isOpen: boolean;
  onClose(): void;
}

function StartReplay({ webhookId, isOpen, onClose }: StartProps) {
  const [statuses, setStatuses] = useState<string[]>(['exhausted', 'aborted', 'expired']);
  const [, setSearch] = useSearchParams();
  const start = useAction((range: { since: string; until: string }) =>
    call(
      api.POST('/webhooks/{webhookId}/replay', {
        params: { path: { webhookId } },
        body: { ...range, status: statuses as FinalStatus[] },
      }),
    ),
  );
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    void start.run(timeRangeIn(form)).then((done) => {
      if (!done) return;
      onClose();
      setSearch(
        (search) => {
          search.set('replay', done.replay.id);
          return search;
        },
        { preventScrollReset: true },
      );
    });
  };
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title="Replay events">
      <form onSubmit={send}>
        <Stack>
          <TimeRange />
          <Checkbox.Group
            label="Delivery statuses"
            description="Include delivered events only if your server lost them."
            value={statuses}
            onChange={setStatuses}
          >
            <Stack gap={6} mt="xs">
              {deliveryStatuses
                .filter((status) => status !== 'pending')
                .map((status) => (
                  <Checkbox key={status} value={status} label={deliveryStatusLabels[status].label} />
                ))}
            </Stack>
          </Checkbox.Group>
          <Text>
            Your server receives each of these events again. The event IDs stay the same, so it can detect duplicates.
          </Text>
          <ProblemText problem={start.problem} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={start.isRunning} disabled={statuses.length === 0}>
              Start replay
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
