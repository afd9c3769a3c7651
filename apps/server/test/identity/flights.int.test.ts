import { afterAll, expect, test } from 'vitest';
import { aBot, page } from '../chat/fixture.ts';
import { countFlights } from '../flights.ts';
import { aKey, aTenant, openApi, send, urlAs, as } from '../harness.ts';
import { anAccount, anIp, signIn, wrongPassword } from './accounts-fixture.ts';

const proxy = await countFlights(urlAs('parley_app'));
const { app, close } = await openApi({ DATABASE_URL: proxy.url });
afterAll(async () => {
  await close();
  proxy.close();
});

/** Of several runs the one with the fewest, because caches expire after seconds, and timers read the database, too. */
async function flightsOf(status: number, request: () => ReturnType<typeof send>): Promise<number> {
  const counts: number[] = [];
  for (let n = 0; n < 5; n++) {
    const { flights, result } = await proxy.during(request);
    expect(result.statusCode, result.body).toBe(status);
    if (n > 0) counts.push(flights); // the first one fills the caches
  }
  return Math.min(...counts);
}

test('a read with a key takes no flight if it is answered from caches, and otherwise one for each round of queries', async () => {
  const tenant = await aTenant();
  const { get } = as((await aKey(tenant, { permissions: ['bot.view'] })).headers, app);
  const { get: getBound } = as(
    (await aKey(tenant, { permissions: ['bot.view'], boundBotId: tenant.botId })).headers,
    app,
  );
  expect(await flightsOf(200, () => get('/me'))).toBe(0);
  expect(await flightsOf(200, () => get('/bots'))).toBe(1);
  expect(await flightsOf(200, () => get(`/bots/${tenant.botId}`))).toBe(1);
  expect(await flightsOf(200, () => getBound(`/bots/${tenant.botId}`))).toBe(1);
  expect(await flightsOf(404, () => get('/bots/bot_00000000000000000000000000'))).toBe(1);
});

test('opening a widget session takes no flight', async () => {
  const { publicKey, botId } = await aBot(await aTenant());
  const body = { publicKey, botId, visitorId: 'a' };
  const open = () => send('POST', '/widget/sessions/anonymous', { origin: page }, body, app);
  expect(await flightsOf(200, open)).toBe(0);
});

test('a sign-in takes four flights, two of them before the hash', async () => {
  const { email, password } = await anAccount();
  const ip = anIp();
  expect(await flightsOf(200, () => signIn(app, email, password, ip))).toBe(4);
});

test('a wrong password takes three flights, for known and unknown accounts', async () => {
  const { email } = await anAccount();
  for (const name of [email, 'unknown@example.com']) {
    const ip = anIp();
    expect(await flightsOf(401, () => signIn(app, name, wrongPassword, ip)), name).toBe(3);
  }
});
