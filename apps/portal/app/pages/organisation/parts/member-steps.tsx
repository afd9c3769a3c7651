import { List, Text } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import { api, call, ConfirmByName, post, useAction } from '@parley/portal-kit/ui';
import { useKnown } from '../../../parts/me.ts';
import { inWords, planName } from './refusals.ts';

interface Props {
  member: Schemas['Member'] | undefined;
  onClose(): void;
}

const useWords = () => {
  const { me } = useKnown();
  return { plan: planName(me.plan), most: me.entitlements['members.max'] };
};

export function RemoveMember({ member, onClose }: Props) {
  const { me, organisation } = useKnown();
  const words = useWords();
  const isMe = member?.userId === me.userId;
  const remove = useAction(async (userId: string) => {
    await call(api.DELETE('/members/{userId}', { params: { path: { userId } } }));
    if (userId !== me.userId) return true;
    // Nothing here can be read any more. Whoever belongs to another organisation signs in to that one.
    await post('/api/auth/logout').catch(() => {});
    location.assign('/sign-in');
    return true;
  });
  const confirm = async () => {
    if (member && (await remove.run(member.userId))) onClose();
  };
  if (!member) return null;
  const who = isMe ? 'You' : member.name;
  return (
    <ConfirmByName
      isOpen
      title={isMe ? `Leave ${organisation.name}?` : `Remove ${member.name}?`}
      name={member.email}
      verb={isMe ? 'Leave organisation' : 'Remove member'}
      isRunning={remove.isRunning}
      problem={inWords(remove.problem, words)}
      onConfirm={() => void confirm()}
      onClose={() => {
        remove.forget();
        onClose();
      }}
    >
      <List spacing={4}>
        <List.Item>
          {who} {isMe ? 'lose' : 'loses'} access to {organisation.name} everywhere within five seconds.
        </List.Item>
        <List.Item>
          Bots, keys and webhooks {isMe ? 'you' : 'they'} made stay as they are. API keys go on working: revoke those{' '}
          {isMe ? 'you have' : 'they have'} seen.
        </List.Item>
        <List.Item>
          {isMe ? 'Your' : 'Their'} account and other organisations are not touched. To come back,{' '}
          {isMe ? 'you need' : 'they need'} a new invitation.
        </List.Item>
        {isMe && <List.Item>You are signed out.</List.Item>}
      </List>
    </ConfirmByName>
  );
}

export function HandOver({ member, onClose }: Props) {
  const { organisation } = useKnown();
  const words = useWords();
  const handOver = useAction((userId: string) =>
    call(api.POST('/members/{userId}/transfer-ownership', { params: { path: { userId } } })),
  );
  const confirm = async () => {
    if (member && (await handOver.run(member.userId))) onClose();
  };
  if (!member) return null;
  return (
    <ConfirmByName
      isOpen
      title={`Hand the ownership over to ${member.name}?`}
      name={member.email}
      verb="Hand over ownership"
      isRunning={handOver.isRunning}
      problem={inWords(handOver.problem, words)}
      onConfirm={() => void confirm()}
      onClose={() => {
        handOver.forget();
        onClose();
      }}
    >
      <List spacing={4}>
        <List.Item>
          {member.name} becomes an owner of {organisation.name}, and keeps the roles they have.
        </List.Item>
        <List.Item>
          You become an admin at the same moment. You can no longer delete the organisation, change its plan or touch
          its owners.
        </List.Item>
        <List.Item>Only an owner can make you one again.</List.Item>
      </List>
      <Text mt="xs">If you last proved who you are more than five minutes ago, you are asked again.</Text>
    </ConfirmByName>
  );
}
