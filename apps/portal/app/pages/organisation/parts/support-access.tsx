import { Badge, Button, Card, Group, Radio, Stack, Text } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import { Ago, api, call, ProblemText, Section, useAction, WithReason } from '@parley/portal-kit/ui';
import { useMe } from '../../../parts/me.ts';
import { denialReason } from '../../../parts/rights.ts';

type Access = Schemas['SupportAccess'];
type Request = Schemas['SupportRequest'];

const policies: { value: Access['policy']; label: string; description: string }[] = [
  { value: 'never', label: 'Never', description: 'Parley support can’t impersonate members.' },
  {
    value: 'ask',
    label: 'Ask an owner',
    description: 'An owner approves each request for a limited time.',
  },
  {
    value: 'allowed',
    label: 'Always',
    description: 'Parley support can impersonate members at any time. Active sessions are shown under Members.',
  },
];
const statusLabels: Record<Request['status'], { label: string; color: string }> = {
  open: { label: 'Pending', color: 'orange' },
  approved: { label: 'Approved', color: 'teal' },
  declined: { label: 'Declined', color: 'gray' },
  expired: { label: 'Expired', color: 'gray' },
};

export function SupportAccess({ access }: { access: Access }) {
  const reason = denialReason(useMe(), 'support_access.manage');
  const change = useAction((policy: Access['policy']) => call(api.PATCH('/support-access', { body: { policy } })));
  return (
    <Section
      title="Support access"
      description="Choose when Parley support can use the portal as a member to help you. Everything they do is in your audit log."
    >
      <Radio.Group
        value={access.policy}
        onChange={(policy) => void change.run(policy)}
        label="Allow impersonation"
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
        <Stack component="ul" gap="xs" p={0} m={0} aria-label="Support access requests" style={{ listStyle: 'none' }}>
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
