import { Anchor, NativeSelect, Table, Text } from '@mantine/core';
import { Ago, Empty, Pager, Rows, Section, Status } from '@parley/portal-kit/ui';
import { Link, useSearchParams } from 'react-router';
import { deliveryStatuses, deliveryWords, isDeliveryStatus, type Delivery } from './webhook-words.ts';

interface Props {
  webhookId: string;
  deliveries: Delivery[];
  nextCursor: string | null;
  isHolding: boolean;
}

export function DeliveryLog({ webhookId, deliveries, nextCursor, isHolding }: Props) {
  const [search, setSearch] = useSearchParams();
  const status = search.get('status');
  const filter = (value: string) =>
    setSearch(
      (before) => {
        before.delete('cursor');
        if (value) before.set('status', value);
        else before.delete('status');
        return before;
      },
      { preventScrollReset: true },
    );
  return (
    <Section
      title="Deliveries"
      about="By the time of the event, newest first. Kept for 30 days."
      actions={
        <NativeSelect
          size="xs"
          aria-label="Status of deliveries"
          value={isDeliveryStatus(status) ? status : ''}
          onChange={(event) => filter(event.currentTarget.value)}
          data={[
            { value: '', label: 'Every status' },
            ...deliveryStatuses.map((value) => ({ value, label: deliveryWords[value].word })),
          ]}
        />
      }
    >
      {deliveries.length === 0 ? (
        <Empty title={isDeliveryStatus(status) ? 'None with this status' : 'No deliveries yet'}>
          A delivery is one event on its way to this endpoint, with all its tries. The next event makes the first.
        </Empty>
      ) : (
        <Rows label="Table of deliveries" heads={['Event', 'Status', 'What happened', 'Tries', 'When']} minWidth={760}>
          {deliveries.map((delivery) => (
            <Row key={delivery.id} webhookId={webhookId} delivery={delivery} isHolding={isHolding} />
          ))}
        </Rows>
      )}
      <Pager nextCursor={nextCursor} />
    </Section>
  );
}

function Row({ webhookId, delivery, isHolding }: { webhookId: string; delivery: Delivery; isHolding: boolean }) {
  const { id, eventType, status, isReplay, lastStatus, hint, attempts, createdAt, nextAttemptAt } = delivery;
  return (
    <Table.Tr>
      <Table.Td>
        <Anchor component={Link} to={`/developers/webhooks/${webhookId}/deliveries/${id}`}>
          {eventType}
        </Anchor>
        {isReplay && (
          <Text size="xs" c="dimmed">
            Replayed
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <Status tone={deliveryWords[status].tone}>{deliveryWords[status].word}</Status>
      </Table.Td>
      <Table.Td maw={420}>
        {status === 'succeeded' && lastStatus !== null && `HTTP ${lastStatus}. `}
        {hint ?? 'Not tried yet.'}
        {status === 'pending' && (
          <Text size="xs" c="dimmed">
            {isHolding ? (
              'Held until the endpoint delivers again'
            ) : (
              <>
                Next try <Ago at={nextAttemptAt} never="soon" />
              </>
            )}
          </Text>
        )}
      </Table.Td>
      <Table.Td>{attempts}</Table.Td>
      <Table.Td style={{ whiteSpace: 'nowrap' }}>
        <Ago at={createdAt} />
      </Table.Td>
    </Table.Tr>
  );
}
