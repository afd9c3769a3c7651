import { Badge, Button, Card, Group, Radio, Stack, Text } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import { Ago, api, call, ProblemText, Section, useAction, WithReason } from '@parley/portal-kit/ui';
import { useMe } from '../../../parts/me.ts';
import { whyNot } from '../../../parts/rights.ts';

type Access = Schemas['SupportAccess'];
type Request = Schemas['SupportRequest'];

const policies: { value: Access['policy']; label: string; description: string }[] = [
  { value: 'never', label: 'Never', description: 'Parley support cannot act as a member of your team.' },
  {
    value: 'ask',
    label: 'Ask an owner',
    description: 'Each request needs the approval of an owner, for a limited time.',
  },
  {
    value: 'allowed',
    label: 'Allowed',
    description: 'Parley support can act as a member at any time. You see it here.',
  },
];
const statusLabels: Record<Request['status'], { label: string; color: string }> = {
  open: { label: 'Waiting', color: 'orange' },
  approved: { label: 'Approved', color: 'teal' },
  declined: { label: 'Declined', color: 'gray' },
  expired: { label: 'Expired', color: 'gray' },
};

export function SupportAccess({ access }: { access: Access }) {
  const reason = whyNot(useMe(), 'support_access.manage');
  const change = useAction((policy: Access['policy']) => call(api.PATCH('/support-access', { body: { policy } })));
  return (
    <Section
      title="Support access"
      about="Whether Parley support may act as a member of your team to help you. Everything they do is in your audit log."
    >
      <Radio.Group
        value={access.policy}
        onChange={(policy) => void change.run(policy)}
        label="When may support act as a member?"
        {...(reason && { description: reason })}
      >
        <Stack gap="xs" mt="xs">
          {policies.map((policy) => (
            <Radio key={policy.value} {...policy} disabled={reason !== undefined || change.isRunning} />
          ))}
        </Stack>
      </Radio.Group>
      <ProblemText problem={change.problem} />
      {access.requests.length > 0 && (
        <Stack
          component="ul"
          gap="xs"
          p={0}
          m={0}
          aria-label="Requests for support access"
          style={{ listStyle: 'none' }}
        >
          {access.requests.map((request) => (
            <RequestCard key={request.id} request={request} reason={reason} />
          ))}
        </Stack>
      )}
    </Section>
  );
}

function RequestCard({ request, reason }: { request: Request; reason: string | undefined }) {
  const params = { path: { id: request.id } };
  const approve = useAction(() =>
    call(api.POST('/support-access/requests/{id}/approve', { params, body: { hours: 24 } })),
  );
  const decline = useAction(() => call(api.POST('/support-access/requests/{id}/decline', { params })));
  const { label, color } = statusLabels[request.status];
  const isBusy = approve.isRunning || decline.isRunning;
  return (
    <Card component="li" withBorder p="sm">
      <Stack gap="xs">
        <Group gap="xs">
          <Text fw={600}>{request.operatorName}</Text>
          <Badge color={color}>{label}</Badge>
          <Text size="sm" c="dimmed">
            {request.status === 'approved' && request.expiresAt ? 'Ends ' : 'Requested '}
            <Ago at={request.status === 'approved' && request.expiresAt ? request.expiresAt : request.createdAt} />
          </Text>
        </Group>
        <Text style={{ overflowWrap: 'anywhere' }}>{request.reason}</Text>
        <ProblemText problem={approve.problem ?? decline.problem} />
        {(request.status === 'open' || request.status === 'approved') && (
          <WithReason reason={reason}>
            <Group gap="xs">
              {request.status === 'open' && (
                <Button size="xs" disabled={!!reason || isBusy} onClick={() => void approve.run()}>
                  Approve for 24 hours
                </Button>
              )}
              <Button size="xs" variant="default" disabled={!!reason || isBusy} onClick={() => void decline.run()}>
                {request.status === 'open' ? 'Decline' : 'End access'}
              </Button>
            </Group>
          </WithReason>
        )}
      </Stack>
    </Card>
  );
}
