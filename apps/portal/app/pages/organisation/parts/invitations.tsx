import { Anchor, Badge, Button, Group, Table, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
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
  useAction,
  WithReason,
} from '@parley/portal-kit/ui';
import { IconMailPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { useMe } from '../../../parts/me.ts';
import { whyNot } from '../../../parts/rights.ts';
import { InviteForm } from './invite-form.tsx';
import { inWords, planName } from './refusals.ts';
import { inOrder, whyAbove } from './roles.ts';

type Invitation = Schemas['Invitation'];
interface Props {
  list: Invitation[];
  hasMore: boolean;
  isAll: boolean;
  /** As far as this page of members tells. */
  isFull: boolean;
}
const tones = { open: 'good', accepted: 'idle', expired: 'warn', revoked: 'idle' } as const;

export function Invitations({ list, hasMore, isAll, isFull }: Props) {
  const me = useMe();
  const [search] = useSearchParams();
  const [isOpen, { open, close }] = useDisclosure();
  const [said, setSaid] = useState('');
  const limit = { plan: planName(me.plan), most: me.entitlements['members.max'] };
  const resend = useAction(async ({ id, email }: Invitation) => {
    await call(api.POST('/invitations/{id}/resend', { params: { path: { id } } }));
    setSaid(`A new letter is on its way to ${email}. The link before it no longer works.`);
  });
  const revoke = useAction(async ({ id, email }: Invitation) => {
    await call(api.DELETE('/invitations/{id}', { params: { path: { id } } }));
    setSaid(`The invitation of ${email} is revoked. Its link no longer works.`);
  });
  const wanted = new URLSearchParams(search);
  if (isAll) wanted.delete('invitations');
  else wanted.set('invitations', 'all');
  const other = `?${wanted.toString()}`;
  const reason = whyNot(me, 'member.manage');
  const invite = (
    <WithReason reason={reason}>
      <Button
        leftSection={<IconMailPlus size={16} aria-hidden />}
        disabled={reason !== undefined}
        onClick={() => {
          setSaid('');
          open();
        }}
      >
        Invite somebody
      </Button>
    </WithReason>
  );
  return (
    <Section
      title="Invitations"
      about={`The link in the letter works for seven days. Your plan ${limit.plan} has ${limit.most} places; members and open invitations take one each.`}
      actions={list.length > 0 && invite}
    >
      <Anchor component={Link} to={other} preventScrollReset w="fit-content">
        {isAll ? 'Show open ones only' : 'Show also those that are accepted, expired or revoked'}
      </Anchor>
      {isFull && (
        <Group gap="xs">
          <Status tone="warn">no place left</Status>
          <span>Remove a member, revoke an invitation, or ask us for a larger plan.</span>
        </Group>
      )}
      <Text role="status">{said}</Text>
      <ProblemText problem={inWords(resend.problem ?? revoke.problem, limit)} />
      {list.length === 0 ? (
        <Empty title={isAll ? 'Nobody was ever invited' : 'No open invitation'} action={invite}>
          An invitation is a letter with a link. Whoever opens it joins this organisation with the roles you chose.
        </Empty>
      ) : (
        <Rows
          label="List of invitations"
          heads={['E-mail', 'Roles', 'State', 'Ends', 'What you can do']}
          minWidth={700}
          hasActions
        >
          {list.map((invitation) => (
            <InvitationRow
              key={invitation.id}
              invitation={invitation}
              reason={reason ?? whyAbove(me, invitation.roles)}
              isBusy={resend.isRunning || revoke.isRunning}
              onResend={() => void resend.run(invitation)}
              onRevoke={() => void revoke.run(invitation)}
            />
          ))}
        </Rows>
      )}
      {hasMore && <Text c="dimmed">These are the newest hundred.</Text>}
      <InviteForm
        isOpen={isOpen}
        onClose={close}
        onInvited={(email) => setSaid(`A letter is on its way to ${email}.`)}
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
          {inOrder(roles).map(({ role, name }) => (
            <Badge key={role} color="gray">
              {name}
            </Badge>
          ))}
        </Group>
      </Table.Td>
      <Table.Td>
        <Status tone={tones[status]}>{status}</Status>
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
                aria-label={`Send again to ${email}`}
                onClick={onResend}
              >
                Send again
              </Button>
              <Button
                size="compact-sm"
                variant="outline"
                color="red"
                disabled={isBusy || reason !== undefined}
                aria-label={`Revoke the invitation of ${email}`}
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
