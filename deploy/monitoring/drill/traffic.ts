import { openChat } from '../../../load/chat.ts';
import { poissonArrivals, startArrivals } from '../../../load/arrivals.ts';
import { createClient, discard } from '../../../load/client.ts';
import { createMeasures } from '../../../load/measures.ts';
import { readWithKey, signIn, signInAndRead, type StaffDeps } from '../../../load/staff.ts';
import type { Target, Tenant } from '../../../load/target.ts';
import { openVisit, visit } from '../../../load/visitor.ts';
import { randomFrom } from '../../../apps/server/test/faults/random.ts';
import type { Product } from './product.ts';

const dayMs = 86_400_000;
/** Per second. A visit has four messages on average. Most go to a bot whose answers a model writes. */
const rates = { modelVisits: 0.28, visits: 0.02, orders: 0.1, signIns: 0.15, reads: 0.5, emails: 0.1 };

/** Light, steady load with everything that alerts and dashboards look at: chats, models, actions, webhooks, sign-ins, emails. */
export function startTraffic({ target, demo }: Pick<Product, 'target' | 'demo'>) {
  const measures = createMeasures(['all'], () => 'all');
  const client = createClient(measures);
  const isOver = new AbortController();
  const deps: StaffDeps & { target: Target; giveUpMs: number; settleMs: number } = {
    target,
    client,
    measures,
    isOver: isOver.signal,
    giveUpMs: 30_000,
    settleMs: 1_000,
  };
  const shop: Tenant = { ...demo, ...demo.modelBot };
  const orders: Tenant = demo;
  const tenantFor = (seed: number): Tenant => randomFrom(seed).pick(target.tenants);

  /** Asks where an order is, which the bot finds out with an action. */
  async function askForOrder(seed: number, dueAt: number): Promise<void> {
    const random = randomFrom(seed);
    const opened = await openVisit(deps, orders, random, dueAt);
    if (!opened) return;
    const chat = openChat(deps, orders, { random, ...opened });
    await chat.say('Where is my order?', dueAt);
    await chat.say('A-1001', performance.now());
    await chat.leave();
  }
  async function resetPassword(seed: number, dueAt: number): Promise<void> {
    const reply = await client.send({
      kind: 'api',
      method: 'POST',
      url: `${target.apiUrl}/auth/password/forgot`,
      headers: { 'x-forwarded-for': `10.1.${seed % 256}.${(seed >> 8) % 256}` },
      body: { email: tenantFor(seed).customer?.email, locale: 'en' },
      dueAt,
    });
    if (reply) await discard(reply);
  }

  const kinds: Record<keyof typeof rates, (seed: number, dueAt: number) => Promise<unknown>> = {
    modelVisits: (seed, dueAt) => visit(deps, shop, seed, dueAt),
    visits: (seed, dueAt) => visit(deps, tenantFor(seed), seed, dueAt),
    orders: askForOrder,
    signIns: (seed, dueAt) => signInAndRead(deps, tenantFor(seed), seed, dueAt),
    reads: (seed, dueAt) => readWithKey(deps, tenantFor(seed), dueAt),
    emails: resetPassword,
  };
  /** What the product does wrong is for the alerts to notice. */
  const apply = (
    seed: number,
    perSecond: number,
    start: (seed: number, dueAt: number) => Promise<unknown>,
    signal = isOver.signal,
  ) =>
    startArrivals(poissonArrivals({ seed, durationMs: dayMs, perSecond: () => perSecond, maxPerSecond: perSecond }), {
      startedAt: performance.now(),
      signal,
      onLateness: () => {},
      start: ({ seed: own }, dueAt) => void start(own, dueAt).catch(() => {}),
    });
  const arriving = Promise.all(
    Object.entries(kinds).map(([kind, start], n) => apply(n + 1, rates[kind as keyof typeof rates], start)),
  );
  return {
    /** More of one kind, until the returned function is called. */
    add: (kind: keyof typeof rates, perSecond: number) => {
      const more = new AbortController();
      void apply(perSecond * 1_000, perSecond, kinds[kind], AbortSignal.any([more.signal, isOver.signal]));
      return () => more.abort();
    },
    /** What the browser of someone who signed in to the customer portal sends. */
    signIn: async () => {
      const headers = await signIn(deps, tenantFor(1), randomFrom(1), performance.now());
      if (!headers) throw new Error('Signing in to the customer portal failed.');
      return headers;
    },
    stop: async () => {
      isOver.abort();
      await arriving;
      await client.close();
    },
  };
}
export type Traffic = ReturnType<typeof startTraffic>;
