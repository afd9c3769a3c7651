import { expect, onTestFinished, test } from 'vitest';
import { runEntry, waitFor } from '../tools/demo/processes.ts';
import { startSite } from '../tools/site/index.ts';
import { countOf } from '../tools/testing/size.ts';
import { freePort } from '../tools/stack/index.ts';
import { aBrowser, demo, portalSettings, apiEntry, settings, signIn } from './browser.ts';

/** Its own API and portal on the shared database, so that they can be killed. */
async function ownDeployment() {
  const [port, portalPort] = [await freePort(), await freePort()];
  const [apiUrl, portalUrl] = [`http://localhost:${port}`, `http://localhost:${portalPort}`];
  const apiSettings = { ...settings, PORT: String(port), PUBLIC_URL: apiUrl, STOP_GRACE_SECONDS: '1' };
  let api = runEntry(apiEntry, apiSettings);
  await waitFor(`${apiUrl}/health/ready`);
  const portal = runEntry('apps/portal/src/server.ts', {
    ...portalSettings,
    PORT: String(portalPort),
    PORTAL_URL: portalUrl,
    API_URL: apiUrl,
  });
  await waitFor(`${portalUrl}/health/live`);
  onTestFinished(async () => {
    await Promise.all([portal.stop(), api.stop()]);
  });
  return {
    apiUrl,
    portalUrl,
    async killAndStart() {
      process.kill(api.pid ?? 0, 'SIGKILL');
      await api.ended;
      api = runEntry(apiEntry, apiSettings);
      await waitFor(`${apiUrl}/health/ready`);
    },
  };
}

/** A page of the tenant whose widget uses that API. */
async function aSite(apiUrl: string): Promise<string> {
  const { publicKey, botId, modelBot, siteUrl, serverKey, serverKeyId } = demo;
  const site = await startSite({ port: await freePort(), apiUrl, cdnUrl: `${apiUrl}/cdn`, publicKey, botId, modelBot });
  onTestFinished(site.stop);
  const allowed = await fetch(`${apiUrl}/bots/${botId}`, {
    method: 'PATCH',
    headers: {
      authorization: `Bearer ${serverKey}`,
      'x-service-api-key-id': serverKeyId,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ allowedOrigins: [new URL(siteUrl).origin, new URL(site.url).origin] }),
  });
  expect(allowed.status).toBe(200);
  return site.url;
}

const rounds = countOf('FAULT_ROUNDS', { sample: 1, full: 15 });
/** A visitor may send twenty messages a minute; in a long run the last ones wait. */
const timeout = { timeout: 60_000 + rounds * 8_000 };

test(
  'a visitor and an agent talk through a killed API without losing or duplicating a message',
  { timeout: 180_000 + rounds * 30_000 },
  async () => {
    const { apiUrl, portalUrl, killAndStart } = await ownDeployment();
    const visitor = await aBrowser();
    await visitor.page.goto(await aSite(apiUrl));
    await visitor.page.getByRole('button', { name: /Northlight help/ }).click();
    const say = async (text: string) => {
      await visitor.page.getByPlaceholder(/Write a message/).fill(text);
      await visitor.page.getByPlaceholder(/Write a message/).press('Enter');
    };
    const tag = crypto.randomUUID().slice(0, 8);
    await say(`Hello, I am ${tag}`);
    await visitor.page.locator('[part~="bot"]').nth(1).waitFor();

    const agent = await aBrowser();
    await signIn(agent.page, demo.customer, portalUrl);
    await agent.page.goto(`${portalUrl}/conversations?q=${tag}`);
    await expect.poll(() => agent.page.getByRole('link', { name: /Shop help/ }).count()).toBeGreaterThan(0);
    await agent.page
      .getByRole('link', { name: /Shop help/ })
      .first()
      .click();
    await agent.page.getByRole('button', { name: 'Take over' }).click();
    await agent.page.getByLabel('Reply to visitor', { exact: true }).last().waitFor();
    const reply = async (text: string) => {
      await agent.page.locator('textarea[aria-label="Reply to visitor"]').fill(text);
      await agent.page.getByRole('button', { name: 'Send reply' }).click();
    };

    const messages: { sender: 'visitor' | 'agent'; text: string }[] = [];
    const both = async (n: number) => {
      const [question, answer] = [`question ${n} of ${tag}`, `answer ${n} for ${tag}`];
      messages.push({ sender: 'visitor', text: question }, { sender: 'agent', text: answer });
      await Promise.all([say(question), reply(answer)]);
    };
    await both(0);
    for (let round = 1; round <= rounds; round++) {
      // Both write while the API is down, and after it is back.
      const restarted = killAndStart();
      await both(round * 10);
      await restarted;
      await both(round * 10 + 1);
    }

    const countIn = (texts: string[]) => messages.map(({ text }) => texts.filter((line) => line.includes(text)).length);
    const once = messages.map(() => 1);
    const log = agent.page.getByRole('log').locator('article');
    await expect.poll(async () => countIn(await log.allInnerTexts()), timeout).toEqual(once);
    const replies = messages.flatMap(({ sender, text }) => (sender === 'agent' ? [text] : []));
    const inOrder = (texts: string[]) => texts.flatMap((line) => replies.filter((answer) => line.includes(answer)));
    expect(inOrder(await log.allInnerTexts()), 'in the order they were written').toEqual(replies);
    const bubbles = visitor.page.locator('[part~="message"]');
    await expect.poll(async () => countIn(await bubbles.allInnerTexts()), timeout).toEqual(once);

    // The same after a reload.
    await agent.page.reload();
    await agent.page.getByRole('log').waitFor();
    const earlier = agent.page.getByRole('button', { name: 'Load earlier messages' });
    const all = async () => {
      if (await earlier.isVisible()) await earlier.click();
      return countIn(await log.allInnerTexts());
    };
    await expect.poll(all).toEqual(once);
    await agent.page.getByRole('button', { name: 'Hand back to bot' }).click();
    await agent.page.getByRole('button', { name: 'Take over' }).waitFor();
    await say('How long does delivery take?');
    await visitor.page
      .getByText(/two to four working days/)
      .first()
      .waitFor();
  },
);
