import { afterAll, expect, test } from 'vitest';
import { createClient } from '../../../../load/client.ts';
import { compareEvents } from '../../../../load/deliveries.ts';
import { openLedger, type Ledger } from '../../../../load/receiver.ts';
import { measuresFor, runLoad } from '../../../../load/run.ts';
import { seedTenants } from '../../../../load/seed.ts';
import { listen, openApi, settings } from '../harness.ts';
import { aWebhookStack } from '../webhooks/fixture.ts';

// The load suite against a real API, worker, PostgreSQL, Valkey, Restate and receiver, for a few seconds.

const { webhookSettings, receiver } = await aWebhookStack();
const { app, close } = await openApi({ ...webhookSettings, TRUSTED_PROXIES: '127.0.0.1' });
afterAll(close);
const apiUrl = await listen(app);
const siteUrl = 'https://shop.example';
const tenants = await seedTenants(settings(webhookSettings), { count: 3, siteUrl, receiverUrl: receiver.url });

test('every accepted message is answered once, and every committed event delivered once with a valid signature', async () => {
  const options = { profile: 'steady', size: 8, minutes: 4 / 60, seed: 3 } as const;
  const measures = measuresFor(options);
  const ledger = openLedger(measures, receiver);
  ledger.expect(tenants);
  const { totals, events, problems, parts, checks, bytes } = await runLoad({
    options,
    target: { apiUrl, siteUrl, tenants, metrics: {} },
    observed: { local: { all: () => [process.pid] }, metrics: {} },
    ledger,
    measures,
    log: () => {},
    signal: new AbortController().signal,
    hurry: 20,
  });
  expect(problems).toEqual({});
  expect(totals).toMatchObject({ 'messages accepted': totals['messages'] });
  expect(totals['messages accepted']).toBeGreaterThan(0); // how many depends on the machine
  expect(totals['sign-ins']).toBeGreaterThan(0);
  expect(totals['deliveries']).toBe(events?.committed);
  expect(bytes.api / totals['messages accepted']!).toBeGreaterThan(500);
  expect(bytes.deliveries / totals['deliveries']!).toBeGreaterThan(500);
  expect(parts['all']?.cores).toBeGreaterThan(0);
  // Not the times, which a busy machine makes long.
  expect(checks.filter(({ isMet, phase }) => isMet === false && phase === 'whole run')).toEqual([]);
  expect(checks.find(({ name }) => name === 'API availability')).toMatchObject({ isMet: true });

  // The same comparison with a receiver that has not seen one of these events.
  const client = createClient(measures);
  const cursors = new Map(tenants.map((tenant) => [tenant, undefined]));
  let hiddenId: string | undefined;
  const forgetful = { ...ledger, has: (id: string) => ledger.has(id) && id !== (hiddenId ??= id) };
  const compare = (compared: Ledger) =>
    compareEvents({ target: { apiUrl }, client }, { cursors, ledger: compared, settleSeconds: 1 });
  const all = await compare(ledger);
  expect(await compare(forgetful)).toMatchObject({ lost: (all?.lost ?? 0) + 1 });
  await client.close();
});
