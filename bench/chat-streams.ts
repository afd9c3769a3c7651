import { readFileSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { runEntry, waitFor } from '../tools/demo/processes.ts';
import { agent, call, openSession, type Target } from './chat-client.ts';
import { result, type Result } from './figures/result.ts';
import { built } from './servers.ts';

const streams = Number(process.env['BENCH_STREAMS'] ?? 2_000);
const perConversation = 10;

/** The memory of one API process with this many idle chats open. */
export async function idleStreams(settings: Record<string, string>, target: Target): Promise<Result> {
  const worker = runEntry(built.worker, settings);
  const api = runEntry(built.api, settings);
  await waitFor(`${target.apiUrl}/health/ready`);
  const residentMb = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${api.pid}/status`, 'utf8'))?.[1]) / 1_024;
  const before = residentMb();
  const open: IncomingMessage[] = [];
  for (let n = 0; n < streams / perConversation; n++) {
    const { headers, sessionToken } = await openSession(target);
    const body = { sessionToken, message: 'when is the shop open' };
    const sent = await call('POST', `${target.apiUrl}/widget/chatbots/${target.botId}/message`, { headers, body });
    const { conversationId } = JSON.parse(sent) as { conversationId: string };
    const url = `${target.apiUrl}/widget/conversations/${conversationId}/events?after=0`;
    const accept = { ...headers, accept: 'text/event-stream', authorization: `Bearer ${sessionToken}` };
    open.push(...(await Promise.all(Array.from({ length: perConversation }, () => follow(url, accept)))));
  }
  await sleep(20_000); // a heartbeat and a few checks later
  const alive = open.filter((stream) => !stream.complete && !stream.destroyed).length;
  const after = residentMb();
  for (const stream of open) stream.destroy();
  agent.destroy();
  await Promise.all([api.stop(), worker.stop()]);
  if (alive < streams) throw new Error(`only ${alive} of ${streams} streams were still open`);
  return result({
    name: `resident memory of one API process with ${streams.toLocaleString('en')} idle streams open`,
    value: after,
    unit: 'MB',
    goal: { atMost: 250 },
    rounds: 1,
    note: `${before.toFixed(0)} MB of them before the first stream`,
  });
}

const follow = (url: string, headers: Record<string, string>) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(url, { headers, agent: false });
    sent.once('error', reject);
    sent.once('response', (response) => {
      response.on('data', () => {}).on('error', () => {});
      resolve(response);
    });
    sent.end();
  });
