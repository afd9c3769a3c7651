import { expect, test } from 'vitest';
import { probes } from '../../../../../tools/testing/probes.ts';
import { aBot } from '../../../test/chat/fixture.ts';
import { api, aTenant } from '../../../test/harness.ts';
import { below, notBelow, notSite, site } from '../../../test/hostile-origins.ts';
import { anIp } from '../../../test/identity/accounts-fixture.ts';

// Matching is tested in features/bots/origins.test.ts; here each origin is sent to the routes that check it.

async function aBotFor(origin: string) {
  const tenant = await aTenant();
  const bot = await aBot(tenant);
  await tenant.patch(`/bots/${bot.botId}`, { allowedOrigins: [origin] });
  return bot;
}
const bots = { [site]: await aBotFor(site), [below]: await aBotFor(below) };

function request(allowed: keyof typeof bots, origin: string | undefined) {
  const { botId, publicKey } = bots[allowed];
  const from = { headers: origin === undefined ? {} : { origin }, remoteAddress: anIp() };
  const url = `/cdn/config/${botId}?key=${encodeURIComponent(publicKey)}`;
  const payload = { publicKey, botId, visitorId: 'label' };
  return Promise.all([
    api.app.inject({ method: 'POST', url: '/widget/sessions/anonymous', payload, ...from }),
    api.app.inject({ method: 'GET', url, ...from }),
  ]);
}

test('returns 200 to an allowed origin on each route', async () => {
  for (const [allowed, origin] of [
    [site, site],
    [below, 'https://www.example.com'],
  ] as const)
    expect((await request(allowed, origin)).map(({ statusCode }) => statusCode)).toEqual([200, 200]);
});

test('returns 403 to every other origin, without a session or any bot settings', async () => {
  const cases = [
    ...notSite.map(([name, origin]) => ({ name, origin, allowed: site }) as const),
    ...notBelow.map(([name, origin]) => ({ name, origin, allowed: below }) as const),
  ];
  const through: string[] = [];
  for (const { name, origin, allowed } of cases)
    for (const { statusCode, body } of await request(allowed, origin))
      if (statusCode !== 403 || /sessionToken|apiUrl/.test(body))
        through.push(`${allowed}, ${name}: ${statusCode} ${body}`);
  expect(through).toEqual([]);
  expect(cases.length).toBeGreaterThanOrEqual(probes.origins.min);
});
