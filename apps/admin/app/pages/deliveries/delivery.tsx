import { Button, Divider, Group, Stack, Text } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import {
  Ago,
  api,
  AttemptView,
  call,
  DetailColumns,
  Dialog,
  Empty,
  Facts,
  field,
  Id,
  keepLast,
  Page,
  ProblemText,
  Section,
  Status,
  useAction,
  usePolling,
  WithReason,
} from '@parley/portal-kit/ui';
import { Fragment, useState, type FormEvent } from 'react';
import { useLoaderData, useNavigate, type LoaderFunctionArgs } from 'react-router';
import { ErrorPage } from '../../parts/error-page.tsx';
import { useMe } from '../../parts/me.ts';
import { denialReason } from '../../parts/rights.ts';
import { Reason } from './replays.tsx';
import { deliveryPath, endpointPath, statusOf } from './labels.ts';

export const meta = () => [{ title: 'Delivery · Parley admin' }];
export const ErrorBoundary = ErrorPage;

export async function loader({ context, request, params }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const path = {
    id: params['tenantId'] ?? '',
    webhookId: params['webhookId'] ?? '',
    deliveryId: params['deliveryId'] ?? '',
  };
  const response = await service.GET('/admin/tenants/{id}/webhooks/{webhookId}/deliveries/{deliveryId}', {
    params: { path },
  });
  return read(response, request);
}
export const clientLoader = keepLast<typeof loader>();

export default function DeliveryPage() {
  const { delivery } = useLoaderData<typeof loader>();
  const { tone, label } = statusOf(delivery);
  usePolling(2_000, delivery.status === 'pending');
  return (
    <Page
      title={delivery.eventType}
      breadcrumb={[
        { to: '/deliveries', label: 'Deliveries' },
        {
          to: endpointPath({ tenantId: delivery.tenantId, id: delivery.webhookId }),
          label: `${delivery.host} (${delivery.tenantName})`,
        },
      ]}
      state={<Status tone={tone}>{label}</Status>}
      description={delivery.hint ?? 'No attempts yet.'}
      actions={<ReplayOne />}
    >
      <DetailColumns
        facts={
          <Section title="Delivery">
            <Facts
              facts={[
                [
                  'Status',
                  <Status key="status" tone={tone}>
                    {label}
                  </Status>,
                ],
                ['Type', delivery.isReplay ? 'Resent' : 'Original'],
                ['Created', <Ago key="created" at={delivery.createdAt} />],
                ['Finished', <Ago key="ended" at={delivery.finishedAt} fallback="not yet" />],
                [
                  'Next attempt',
                  delivery.isHeld ? (
                    'When the endpoint recovers'
                  ) : (
                    <Ago key="next" at={delivery.nextAttemptAt} fallback="–" />
                  ),
                ],
                ['Delivery ID', <Id key="id" id={delivery.id} />],
                ['Event ID', <Id key="event" id={delivery.eventId} />],
              ]}
            />
          </Section>
        }
      >
        <Section title="Attempts" description="Requests and responses are visible only to the tenant.">
          {delivery.log.length === 0 ? (
            <Empty title="No attempts yet" drawing="webhook">
              Each attempt appears here with its result and timings.
            </Empty>
          ) : (
            delivery.log.map((attempt, n) => (
              <Fragment key={attempt.id ?? n}>
                {n > 0 && <Divider />}
                <AttemptView attempt={attempt} />
              </Fragment>
            ))
          )}
        </Section>
      </DetailColumns>
    </Page>
  );
}

function ReplayOne() {
  const { delivery } = useLoaderData<typeof loader>();
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const disabledReason =
    denialReason(useMe(), 'platform.tenant.manage') ??
    (delivery.isReplayable ? undefined : 'This event is more than 30 days old, so its payload has been deleted.');
  const path = { id: delivery.tenantId, webhookId: delivery.webhookId, deliveryId: delivery.id };
  const replay = useAction(
    (reason: string) =>
      call(
        api.POST('/admin/tenants/{id}/webhooks/{webhookId}/deliveries/{deliveryId}/replay', {
          params: { path },
          body: { reason },
        }),
      ),
    { isQuiet: true },
  );
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    void replay.run(field(event.currentTarget, 'reason').trim()).then((done) => {
      if (!done) return;
      setOpen(false);
      void navigate(deliveryPath(done.delivery));
    });
  };
  return (
    <>
      <WithReason reason={disabledReason}>
        <Button disabled={!!disabledReason} onClick={() => setOpen(true)}>
          Resend
        </Button>
      </WithReason>
      <Dialog isOpen={isOpen} onClose={() => setOpen(false)} title="Resend delivery">
        <form onSubmit={send}>
          <Stack>
            <Text>
              Sends the event to {delivery.host} again. The event ID stays the same, so the endpoint can detect a
              duplicate.
            </Text>
            <Reason />
            <ProblemText problem={replay.problem} />
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={() => setOpen(false)}>
                Cancel
              </Button>
              <Button type="submit" loading={replay.isRunning}>
                Resend
              </Button>
            </Group>
          </Stack>
        </form>
      </Dialog>
    </>
  );
}
