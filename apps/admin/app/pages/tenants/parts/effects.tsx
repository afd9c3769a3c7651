import { List, Text } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import { amount, many } from '../words.ts';

export type Effects = Schemas['SuspensionEffects'];

/** Counted no further. */
const most = 10_000;
const orMore = (n: number) => (n >= most ? `${amount(most)} or more` : amount(n));

/** What stops, in words, and only what there is. */
export function EffectList({ effects }: { effects: Effects }) {
  const { liveBots, widgetKeys, serverKeys, endpoints, waitingEndpoints, waitingDeliveries } = effects;
  const { openConversations, runningSyncs, members } = effects;
  const lines = [
    members > 0 && `${many(members, 'member')} can no longer sign in.`,
    liveBots > 0 && `${many(liveBots, 'live bot')} no longer ${liveBots === 1 ? 'answers' : 'answer'} on any page.`,
    widgetKeys > 0 && `${many(widgetKeys, 'widget key')} no longer ${widgetKeys === 1 ? 'opens' : 'open'} a chat.`,
    serverKeys > 0 &&
      `${many(serverKeys, 'server key')} ${serverKeys === 1 ? 'is' : 'are'} refused: the tenant’s own systems get no answer.`,
    openConversations > 0 &&
      `${orMore(openConversations)} open ${openConversations === 1 ? 'conversation gets' : 'conversations get'} no answer.`,
    endpoints > 0 &&
      `${many(endpoints, 'webhook endpoint')} ${endpoints === 1 ? 'hears' : 'hear'} of nothing.${
        waitingDeliveries > 0
          ? ` ${orMore(waitingDeliveries)} waiting ${waitingDeliveries === 1 ? 'delivery' : 'deliveries'} to ${many(waitingEndpoints, 'endpoint')} stay where they are.`
          : ''
      }`,
    runningSyncs > 0 &&
      `${many(runningSyncs, 'knowledge sync', 'knowledge syncs')} that ${runningSyncs === 1 ? 'is' : 'are'} running stop.`,
  ].filter((line) => line !== false);
  if (lines.length === 0) return <Text>Nothing is in use, so nobody will notice.</Text>;
  return (
    <List spacing={4}>
      {lines.map((line) => (
        <List.Item key={line}>{line}</List.Item>
      ))}
    </List>
  );
}
