import { Table, Text } from '@mantine/core';
import { Ago, Empty, FilterChips, Pager, RowLink, Rows, Section, Status } from '@parley/portal-kit/ui';
import { useSearchParams } from 'react-router';
import { deliveryStatuses, deliveryStatusLabels, isDeliveryStatus, type Delivery } from './webhook-labels.ts';

const filters = [
  {
    name: 'status',
    label: 'Status',
    options: deliveryStatuses.map((value) => ({ value, label: deliveryStatusLabels[value].label })),
  },
];

interface Props {
  webhookId: string;
  deliveries: Delivery[];
  nextCursor: string | null;
  isOnHold: boolean;
}

export function DeliveryLog({ webhookId, deliveries, nextCursor, isOnHold }: Props) {
  const [search] = useSearchParams();
  const status = search.get('status');
  return (
    <Section
      title="Deliveries"
      description="Newest first. Kept for 30 days."
      actions={<FilterChips filters={filters} />}
    >
      {deliveries.length === 0 ? (
        <Empty
          title={isDeliveryStatus(status) ? 'No deliveries with this status' : 'No deliveries yet'}
          drawing="webhook"
        >
          Events sent to this endpoint appear here with their attempts.
        </Empty>
      ) : (
        <Rows
          label="Delivery list"
          columns={[
            'Event',
            'Status',
            'Details',
            { label: 'Attempts', align: 'right' },
            { label: 'Created', align: 'right' },
          ]}
          minWidth={760}
        >
          {deliveries.map((delivery) => (
            <Row key={delivery.id} webhookId={webhookId} delivery={delivery} isOnHold={isOnHold} />
          ))}
        </Rows>
      )}
      <Pager nextCursor={nextCursor} />
    </Section>
  );
}

function Row({ webhookId, delivery, isOnHold }: { webhookId: string; delivery: Delivery; isOnHold: boolean }) {
  const { id, eventType, status, isReplay, lastStatus, hint, attempts, createdAt, nextAttemptAt } = delivery;
  return (
    <Table.Tr>
      <Table.Td>
        <RowLink to={`/developers/webhooks/${webhookId}/deliveries/${id}`}>{eventType}</RowLink>
        {isReplay && (
          <Text size="xs" c="dimmed">
            Resent
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <Status tone={deliveryStatusLabels[status].tone}>{deliveryStatusLabels[status].label}</Status>
      </Table.Td>
      <Table.Td maw={420}>
        {status === 'succeeded' && lastStatus !== null && `HTTP ${lastStatus}. `}
        {hint ?? 'No attempts yet.'}
        {status === 'pending' && (
          <Text size="xs" c="dimmed">
            {isOnHold ? (
              'On hold until the endpoint is active again'
            ) : (
              <>
                Next attempt <Ago at={nextAttemptAt} fallback="soon" />
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
