import { randomFrom, type Random } from '../apps/server/test/faults/random.ts';
import { exponential, sleepUntil } from './arrivals.ts';
import { openChat } from './chat.ts';
import { discard, readJson } from './client.ts';
import { retryUntilAccepted, type VisitDeps } from './retrying.ts';
import type { Tenant } from './target.ts';

// A visitor as the widget makes one: configuration, session, messages with think time, an open event stream.

export const meanMessages = 4;
const maxMessages = 15;
const meanThinkMs = 8_000;
const meanLingerMs = 20_000;

export const questions = [
  'How long do I have to send it back?',
  'What does delivery cost?',
  'When is the shop open?',
  'How do I store the battery in winter?',
  'Is the motor covered by the warranty?',
  'What does a small service cost?',
  'Do you sell gift cards?',
  'How long does a refund take?',
];

/** Loads the widget's configuration and opens an anonymous session, as a visitor with an IP address that no one else has. */
export async function openVisit(deps: VisitDeps, tenant: Tenant, random: Random, dueAt: number) {
  const { target, client } = deps;
  const visitorId = `10.${random.between(0, 255)}.${random.between(0, 255)}.${random.between(1, 254)}`;
  const headers = { origin: new URL(target.siteUrl).origin, 'x-forwarded-for': visitorId };
  const config = await client.send({
    kind: 'cdn',
    url: `${target.apiUrl}/cdn/config/${tenant.botId}?key=${encodeURIComponent(tenant.publicKey)}`,
    headers,
    dueAt,
  });
  if (config) await discard(config);
  const session = await retryUntilAccepted(deps, random, () =>
    client.send({
      kind: 'widget',
      method: 'POST',
      url: `${target.apiUrl}/widget/sessions/anonymous`,
      headers,
      body: { publicKey: tenant.publicKey, botId: tenant.botId, visitorId },
      dueAt,
    }),
  );
  const opened = session && (await readJson<{ sessionToken: string }>(session));
  return opened && { headers, sessionToken: opened.sessionToken };
}

/** Stays until the run is over or the visitor has heard enough, then leaves when everything accepted is answered. */
export async function visit(deps: VisitDeps, tenant: Tenant, seed: number, dueAt: number): Promise<void> {
  const { measures, isOver, hurry = 1 } = deps;
  const random = randomFrom(seed);
  const pause = async (meanMs: number) => {
    const until = performance.now() + exponential(random, meanMs) / hurry;
    await sleepUntil(until, isOver);
    if (!isOver.aborted) measures.late(performance.now() - until);
    return until;
  };
  measures.total('visits');
  const opened = await openVisit(deps, tenant, random, dueAt);
  if (!opened) return measures.total('visits given up');

  const chat = openChat(deps, tenant, { random, ...opened });
  const messages = Math.min(maxMessages, 1 + Math.floor(exponential(random, meanMessages - 0.5)));
  for (let n = 0; n < messages; n++) {
    const due = n === 0 ? dueAt : await pause(meanThinkMs);
    if (isOver.aborted) break; // while thinking: nothing new is sent
    await chat.say(random.pick(questions), due);
  }
  await pause(meanLingerMs);
  await chat.leave();
}
