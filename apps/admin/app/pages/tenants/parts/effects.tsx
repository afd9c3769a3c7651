import { List, Text } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import { amount, pluralize } from '../labels.ts';

export type Effects = Schemas['SuspensionEffects'];

/** The service stops counting here. */
const max = 10_000;
const formatCapped = (n: number) => (n >= max ? `${amount(max)}+` : amount(n));

/** What will stop. Empty counts are left out. */
export function EffectList({ effects }: { effects: Effects }) {
  const { liveBots, widgetKeys, serverKeys, endpoints, waitingEndpoints, waitingDeliveries } = effects;
  const { openConversations, runningSyncs, members } = effects;
  const lines = [
    members > 0 && `${pluralize(members, 'member')} can no longer sign in.`,
    liveBots > 0 && `${pluralize(liveBots, 'live bot')} ${liveBots === 1 ? 'stops' : 'stop'} replying.`,
    widgetKeys > 0 && `${pluralize(widgetKeys, 'public key')} can no longer open chats.`,
    serverKeys > 0 &&
      `${pluralize(serverKeys, 'server key')} ${serverKeys === 1 ? 'is' : 'are'} rejected, so the tenant’s backend can’t call the API.`,
    openConversations > 0 &&
      `${formatCapped(openConversations)} open ${openConversations === 1 ? 'conversation gets' : 'conversations get'} no reply.`,
    endpoints > 0 &&
      `${pluralize(endpoints, 'webhook endpoint')} ${endpoints === 1 ? 'receives' : 'receive'} no events.${
        waitingDeliveries > 0
          ? ` ${formatCapped(waitingDeliveries)} pending ${waitingDeliveries === 1 ? 'delivery' : 'deliveries'} to ${pluralize(waitingEndpoints, 'endpoint')} ${waitingDeliveries === 1 ? 'stays' : 'stay'} queued.`
          : ''
      }`,
    runningSyncs > 0 &&
      `${pluralize(runningSyncs, 'running knowledge sync', 'running knowledge syncs')} ${runningSyncs === 1 ? 'stops' : 'stop'}.`,
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
