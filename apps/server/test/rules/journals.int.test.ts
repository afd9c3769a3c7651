import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import type { Command } from '../../../../tools/journals/flow.ts';
import { readJournals } from '../../../../tools/journals/journals.ts';
import { apiKeyExpiryService } from '../../src/features/api-keys/api-keys.interface.ts';
import { waitingService } from '../../src/features/conversations/assignment/waiting.interface.ts';
import { wakeRotation } from '../../src/features/key-rotation/key-rotation.reactions.ts';
import { knowledgeSourceObject } from '../../src/features/knowledge/ingest/knowledge.interface.ts';
import { newId } from '../../src/platform/ids.ts';
import {
  aShop,
  awaitEntry,
  cancel,
  confirm,
  handleCalls,
  isCard,
  isFinished,
  lookUp,
  reply,
  type Handler,
  type SendResult,
} from '../actions/fixture.ts';
import { aBot, aVisitor } from '../chat/fixture.ts';
import { aTenant } from '../harness.ts';
import { aWebhookStack, emitTestEvent, type CreatedWebhook } from '../webhooks/fixture.ts';
import { canWrite } from './journal-match.ts';

const stack = await aWebhookStack();
const { restate, receiver, worker } = stack;
const handlers = new Map<string, Handler>();
handleCalls(receiver, handlers);
const recorded = readJournals(resolve(import.meta.dirname, '../../src'));

interface Invocation {
  handler: string;
  commands: Command[];
  hasSucceeded: boolean;
}

/** The invocations of our handlers in Restate, with the commands of their journals. */
async function readInvocations(): Promise<Invocation[]> {
  const response = await fetch(`${restate.adminUrl}/query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({
      query: `select j.id, target_service_name || '.' || target_handler_name as handler, entry_lite_json
        from sys_journal j join sys_invocation i on i.id = j.id
        where entry_type like 'Command: %' order by j.id, j.index`,
    }),
  });
  const { rows } = (await response.json()) as { rows: { id: string; handler: string; entry_lite_json: string }[] };
  const journals = Map.groupBy(rows, ({ id }) => id);
  return [...journals.values()].map((journal) => {
    const entries = journal.map((row) => JSON.parse(row.entry_lite_json) as JournalEntry);
    return {
      handler: journal[0]?.handler ?? '',
      commands: entries.flatMap(commandIn),
      hasSucceeded: entries.some(({ Command: { Output: output } }) => output?.result === 'Success'),
    };
  });
}

interface JournalEntry {
  Command: Record<
    string,
    { name?: string; key?: string; result?: unknown; invocation_target?: Record<string, Target> } | undefined
  >;
}
interface Target {
  name: string;
  handler: string;
}
const types: Record<string, Command['type']> = {
  Run: 'run',
  Sleep: 'sleep',
  Call: 'call',
  OneWayCall: 'send',
  GetEagerState: 'get',
  GetLazyState: 'get',
  SetState: 'set',
  ClearState: 'clear',
};
function commandIn({ Command: command }: JournalEntry): Command[] {
  return Object.entries(command).flatMap(([kind, entry]) => {
    if (kind === 'Input' || kind === 'Output') return [];
    const [target] = Object.values(entry?.invocation_target ?? {});
    const name = target ? `${target.name}.${target.handler}` : (entry?.name ?? entry?.key ?? '');
    return [{ type: types[kind] ?? (kind as Command['type']), name }];
  });
}

test('Restate has exactly the handlers of the record', async () => {
  const response = await fetch(`${restate.adminUrl}/services`);
  const { services } = (await response.json()) as { services: { name: string; handlers: { name: string }[] }[] };
  const registered = services.flatMap((service) => service.handlers.map(({ name }) => `${service.name}.${name}`));
  expect(registered.toSorted()).toEqual([...recorded.keys()]);
});

test('each handler writes a journal that the record allows', async () => {
  const done: Handler = (_call, response) =>
    reply(response, 200, { status: 'succeeded', output: {}, display: 'Done.' });
  const shop = await aShop(stack, handlers, done, [lookUp, cancel]);
  const { tenant } = shop;
  const { restate: client } = worker.platform;

  // A webhook endpoint that fails once, and a replay.
  const created = await tenant.post('/webhooks', { url: `${receiver.url}/failing`, eventTypes: ['test.*'] });
  const { webhook } = created.json<CreatedWebhook>();
  const respond = receiver.respond;
  receiver.respond = (...given) => (given[0].path === '/failing' ? given[1].writeHead(500).end() : respond?.(...given));
  await emitTestEvent(tenant, 1);
  const [since, until] = [new Date(Date.now() - 60_000), new Date(Date.now() + 60_000)];
  const replay = await tenant.post(`/webhooks/${webhook.id}/replay`, { since, until });
  expect(replay.statusCode, replay.body).toBe(201);

  const source = { name: 'Help', kind: 'text', text: 'We refund the price of returned goods within five days.' };
  expect((await tenant.post(`/bots/${tenant.botId}/knowledge-sources`, source)).statusCode).toBe(201);

  // Turns that call a model, run an action, and run one that the visitor confirms.
  const bot = await aBot(await aTenant(), { answers: { mode: 'model' } });
  await (await aVisitor(stack.api.app, bot)).say('how long does a refund take?');
  const visitor = await shop.visitor();
  await visitor.say('where is my order A-100');
  const { conversationId } = (await visitor.say('cancel my order A-100')).json<SendResult>();
  const card = await awaitEntry(visitor, conversationId, isCard);
  await confirm(visitor, conversationId, card);
  await awaitEntry(visitor, conversationId, (entry) => isFinished(entry) && entry.seq > card.seq);

  // Timers, called as if they were due.
  const { tenantId } = tenant;
  const at = new Date().toISOString();
  await client.sendClient(apiKeyExpiryService).warn({ tenantId, keyId: 'key_1', expiresAt: at });
  await client.sendClient(knowledgeSourceObject, `${tenantId}/src_1`).due({ tenantId, sourceId: 'src_1', at });
  await client.sendClient(waitingService).check({ tenantId, conversationId: newId('conversation') });
  await wakeRotation(client, 'rot_1');

  await expect
    .poll(async () => {
      const finished = (await readInvocations()).filter(({ hasSucceeded }) => hasSucceeded);
      return [...recorded.keys()].filter((handler) => !finished.some((invocation) => invocation.handler === handler));
    })
    .toEqual([]);
  const wrong = (await readInvocations()).filter(
    ({ handler, commands, hasSucceeded }) =>
      !canWrite(recorded.get(handler) ?? [], commands, { isPartial: !hasSucceeded }),
  );
  expect(wrong).toEqual([]);
});
