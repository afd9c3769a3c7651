import { List, Text } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import { amount, many } from '../labels.ts';

export type Effects = Schemas['SuspensionEffects'];

/** Counted no further. */
const max = 10_000;
const orMore = (n: number) => (n >= max ? `${amount(max)}+` : amount(n));

/** What stops, in words, and only what there is. */
export function EffectList({ effects }: { effects: Effects }) {
  const { liveBots, widgetKeys, serverKeys, endpoints, waitingEndpoints, waitingDeliveries } = effects;
  const { openConversations, runningSyncs, members } = effects;
  const lines = [
    members > 0 && `${many(members, 'member')} can no longer sign in.`,
    liveBots > 0 && `${many(liveBots, 'live bot')} ${liveBots === 1 ? 'stops' : 'stop'} replying.`,
    widgetKeys > 0 && `${many(widgetKeys, 'public key')} can no longer open chats.`,
    serverKeys > 0 &&
      `${many(serverKeys, 'server key')} ${serverKeys === 1 ? 'is' : 'are'} rejected, so the tenant’s backend can’t call the API.`,
    openConversations > 0 &&
      `${orMore(openConversations)} open ${openConversations === 1 ? 'conversation gets' : 'conversations get'} no reply.`,
    endpoints > 0 &&
      `${many(endpoints, 'webhook endpoint')} ${endpoints === 1 ? 'receives' : 'receive'} no events.${
        waitingDeliveries > 0
          ? ` ${orMore(waitingDeliveries)} pending ${waitingDeliveries === 1 ? 'delivery' : 'deliveries'} to ${many(waitingEndpoints, 'endpoint')} ${waitingDeliveries === 1 ? 'stays' : 'stay'} queued.`
          : ''
      }`,
    runningSyncs > 0 &&
      `${many(runningSyncs, 'running knowledge sync', 'running knowledge syncs')} ${runningSyncs === 1 ? 'stops' : 'stop'}.`,
  ].filter((line) => line !== false);
  if (lines.length === 0) return <Text>Nothing in this tenant is in use.</Text>;
  return (
    <List spacing={4}>
      {lines.map((line) => (
        <List.Item key={line}>{line}</List.Item>
      ))}
    </List>
  );
}
