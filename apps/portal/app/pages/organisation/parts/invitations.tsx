import { Anchor, Badge, Button, Group, Table, Text } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import {
  Ago,
  api,
  call,
  Empty,
  ProblemText,
  Rows,
  Section,
  Status,
  TextLink,
  toast,
  useAction,
  WithReason,
} from '@parley/portal-kit/ui';
import { IconMailPlus } from '@tabler/icons-react';
import { Link, useSearchParams } from 'react-router';
import { useMe } from '../../../parts/me.ts';
import { denialReason } from '../../../parts/rights.ts';
import { InviteForm } from './invite-form.tsx';
import { describeProblem, planName, seats } from './member-problems.ts';
import { sortRoles, roleDenialReason } from './roles.ts';

type Invitation = Schemas['Invitation'];
interface Props {
  list: Invitation[];
  hasMore: boolean;
  isAll: boolean;
  /** Judged by the first page of members. */
  isFull: boolean;
  isInviting: boolean;
  onClose(): void;
}
const statuses = {
  open: { label: 'Pending', tone: 'idle' },
  accepted: { label: 'Accepted', tone: 'good' },
  expired: { label: 'Expired', tone: 'warn' },
  revoked: { label: 'Revoked', tone: 'idle' },
} as const;

/** The primary action of the members page. */
export function InviteButton({ onClick }: { onClick(): void }) {
  const reason = denialReason(useMe(), 'member.manage');
  return (
    <WithReason reason={reason}>
      <Button leftSection={<IconMailPlus size={16} aria-hidden />} disabled={reason !== undefined} onClick={onClick}>
        Invite member
      </Button>
    </WithReason>
  );
}

export function Invitations({ list, hasMore, isAll, isFull, isInviting, onClose }: Props) {
  const me = useMe();
  const [search] = useSearchParams();
  const limit = { plan: planName(me.plan), max: me.entitlements['members.max'] };
  const resend = useAction(async ({ id, email }: Invitation) => {
    await call(api.POST('/invitations/{id}/resend', { params: { path: { id } } }));
    toast({ message: `Invitation resent to ${email}. The previous link no longer works.` });
  });
  const revoke = useAction(async ({ id, email }: Invitation) => {
    await call(api.DELETE('/invitations/{id}', { params: { path: { id } } }));
    toast({ message: `Invitation for ${email} revoked. Its link no longer works.` });
  });
  const params = new URLSearchParams(search);
  if (isAll) params.delete('invitations');
  else params.set('invitations', 'all');
  const otherStatusUrl = `?${params.toString()}`;
  const reason = denialReason(me, 'member.manage');
  return (
    <Section
      title="Invitations"
      description={`Invitation links expire after 7 days. Your ${limit.plan} plan has ${seats(limit.max)}. Each member and pending invitation uses one.`}
    >
      <Anchor component={Link} to={otherStatusUrl} preventScrollReset w="fit-content">
        {isAll ? 'Show pending invitations only' : 'Show all invitations'}
      </Anchor>
      {isFull && (
        <Group gap="xs">
          <Status tone="warn">No seats left</Status>
          <span>
            Remove a member, revoke an invitation or <TextLink to="/organisation/plans">upgrade your plan</TextLink>.
          </span>
        </Group>
      )}
      <ProblemText problem={describeProblem(resend.problem ?? revoke.problem, limit)} />
      {list.length === 0 ? (
        <Empty title={isAll ? 'No invitations yet' : 'No pending invitations'} drawing="people">
          Invite people by email. When they accept, they join with the roles you chose.
        </Empty>
      ) : (
        <Rows
          label="Invitations table"
          columns={['Email', 'Roles', 'Status', { label: 'Expires', align: 'right' }, 'Actions']}
          minWidth={700}
          hasActions
        >
          {list.map((invitation) => (
            <InvitationRow
              key={invitation.id}
              invitation={invitation}
              reason={reason ?? roleDenialReason(me, invitation.roles)}
              isBusy={resend.isRunning || revoke.isRunning}
              onResend={() => void resend.run(invitation)}
              onRevoke={() => void revoke.run(invitation)}
            />
          ))}
        </Rows>
      )}
      {hasMore && <Text c="dimmed">Showing the latest 100 invitations.</Text>}
      <InviteForm
        isOpen={isInviting}
        onClose={onClose}
        onInvited={(email) => toast({ message: `Invitation sent to ${email}.` })}
      />
    </Section>
  );
}

interface RowProps {
  invitation: Invitation;
  reason: string | undefined;
  isBusy: boolean;
  onResend(): void;
  onRevoke(): void;
}

const InvitationRow = ({ invitation, reason, isBusy, onResend, onRevoke }: RowProps) => {
  const { email, roles, status, expiresAt } = invitation;
  const isAlive = status === 'open' || status === 'expired';
  return (
    <Table.Tr>
      <Table.Td>{email}</Table.Td>
      <Table.Td>
        <Group gap={4}>
          {sortRoles(roles).map(({ role, name }) => (
            <Badge key={role} color="gray">
              {name}
            </Badge>
          ))}
        </Group>
      </Table.Td>
      <Table.Td>
        <Status tone={statuses[status].tone}>{statuses[status].label}</Status>
      </Table.Td>
      <Table.Td>{isAlive ? <Ago at={expiresAt} /> : '–'}</Table.Td>
      <Table.Td>
        {isAlive && (
          <WithReason reason={reason}>
            <Group gap={6} justify="flex-end" wrap="nowrap">
              <Button
                size="compact-sm"
                variant="default"
                disabled={isBusy || reason !== undefined}
                aria-label={`Resend invitation to ${email}`}
                onClick={onResend}
              >
                Resend
              </Button>
              <Button
                size="compact-sm"
                variant="outline"
                color="red"
                disabled={isBusy || reason !== undefined}
                aria-label={`Revoke invitation for ${email}`}
                onClick={onRevoke}
              >
                Revoke
              </Button>
            </Group>
          </WithReason>
        )}
      </Table.Td>
    </Table.Tr>
  );
};
