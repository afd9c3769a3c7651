import { Button, Group, List, Stack, Text } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import { Ago, api, call, ConfirmByName, Dialog, post, ProblemText, useAction } from '@parley/portal-kit/ui';
import { useState } from 'react';
import { useLayoutData } from '../../../parts/me.ts';
import { describeProblem, planName } from './member-problems.ts';

interface Props {
  member: Schemas['Member'] | undefined;
  onClose(): void;
}

const usePlanLimits = () => {
  const { me } = useLayoutData();
  return { plan: planName(me.plan), max: me.entitlements['members.max'] };
};

interface RemainingKeysData {
  name: string;
  keys: { id: string; name: string; lastUsedAt: string | null }[];
}

/** Server keys that a removed member created. Systems may depend on them, so they are revoked one by one. */
function RemainingKeys({ name, keys, onClose }: RemainingKeysData & { onClose(): void }) {
  return (
    <Dialog isOpen onClose={onClose} title={`Server keys created by ${name}`}>
      <Stack>
        <Text>These keys still work. Revoke the ones you no longer need.</Text>
        {keys.map((key) => (
          <RemainingKey key={key.id} {...key} />
        ))}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Done
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

function RemainingKey({ id, name, lastUsedAt }: RemainingKeysData['keys'][number]) {
  const revoke = useAction(() => call(api.POST('/api-keys/{id}/revoke', { params: { path: { id } } })));
  const [isRevoked, setRevoked] = useState(false);
  return (
    <Group justify="space-between" wrap="nowrap">
      <div>
        <Text fw={600}>{name}</Text>
        <Text size="sm" c="dimmed">
          {lastUsedAt ? (
            <>
              Last used <Ago at={lastUsedAt} />
            </>
          ) : (
            'Never used'
          )}
        </Text>
        <ProblemText problem={revoke.problem} />
      </div>
      {isRevoked ? (
        <Text role="status">Revoked</Text>
      ) : (
        <Button
          size="xs"
          variant="default"
          loading={revoke.isRunning}
          aria-label={`Revoke ${name}`}
          onClick={() => void revoke.run().then((done) => setRevoked(done !== undefined))}
        >
          Revoke
        </Button>
      )}
    </Group>
  );
}

export function RemoveMember({ member, onClose }: Props) {
  const [remaining, setRemaining] = useState<RemainingKeysData>();
  const { me, organisation } = useLayoutData();
  const planLimits = usePlanLimits();
  const isMe = member?.userId === me.userId;
  const remove = useAction(async (userId: string) => {
    const { serverKeys } = await call(api.DELETE('/members/{userId}', { params: { path: { userId } } }));
    if (userId !== me.userId) return serverKeys;
    // Access is gone. A member of another organisation signs in to that one.
    await post('/api/auth/logout').catch(() => {});
    location.assign('/sign-in');
    return [];
  });
  const confirm = async () => {
    const keys = member && (await remove.run(member.userId));
    if (!keys) return;
    if (keys.length > 0) setRemaining({ name: member.name, keys });
    onClose();
  };
  if (remaining) return <RemainingKeys {...remaining} onClose={() => setRemaining(undefined)} />;
  if (!member) return null;
  const subject = isMe ? 'You' : member.name;
  return (
    <ConfirmByName
      isOpen
      title={isMe ? `Leave ${organisation.name}?` : `Remove ${member.name}?`}
      name={member.email}
      confirmLabel={isMe ? 'Leave organisation' : 'Remove member'}
      isRunning={remove.isRunning}
      problem={describeProblem(remove.problem, planLimits)}
      onConfirm={() => void confirm()}
      onClose={() => {
        remove.clear();
        onClose();
      }}
    >
      <List spacing={4}>
        <List.Item>
          {subject} {isMe ? 'lose' : 'loses'} access to {organisation.name} within 5 seconds.
        </List.Item>
        <List.Item>
          Bots, webhooks and API keys {isMe ? 'you' : 'they'} created are kept. Pending invitations{' '}
          {isMe ? 'you' : 'they'} sent are revoked.
        </List.Item>
        <List.Item>
          {isMe
            ? 'Other members can revoke server keys you created.'
            : 'Next, you can revoke server keys they created.'}
        </List.Item>
        <List.Item>
          {isMe ? 'Your' : 'Their'} account and other organisations aren’t affected. To rejoin,{' '}
          {isMe ? 'you need' : 'they need'} a new invitation.
        </List.Item>
        {isMe && <List.Item>You’ll be signed out.</List.Item>}
      </List>
    </ConfirmByName>
  );
}

export function TransferOwnership({ member, onClose }: Props) {
  const { organisation } = useLayoutData();
  const planLimits = usePlanLimits();
  const transfer = useAction((userId: string) =>
    call(api.POST('/members/{userId}/transfer-ownership', { params: { path: { userId } } })),
  );
  const confirm = async () => {
    if (member && (await transfer.run(member.userId))) onClose();
  };
  if (!member) return null;
  return (
    <ConfirmByName
      isOpen
      title={`Transfer ownership to ${member.name}?`}
      name={member.email}
      confirmLabel="Transfer ownership"
      isRunning={transfer.isRunning}
      problem={describeProblem(transfer.problem, planLimits)}
      onConfirm={() => void confirm()}
      onClose={() => {
        transfer.clear();
        onClose();
      }}
    >
      <List spacing={4}>
        <List.Item>
          {member.name} becomes an owner of {organisation.name} and keeps their other roles.
        </List.Item>
        <List.Item>
          You become an admin. You can no longer delete the organisation, change its plan or manage its owners.
        </List.Item>
        <List.Item>Only an owner can make you an owner again.</List.Item>
      </List>
      <Text mt="xs">If you haven’t confirmed it’s you in the last 5 minutes, we’ll ask you to.</Text>
    </ConfirmByName>
  );
}
