import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import {
  aBot,
  aChatStack,
  aTenant,
  aVisitor,
  openApi,
  page,
  startWorkerInProcess,
} from '../../../../test/chat/fixture.ts';
import { type MessageResponse, type SendResponse } from '../../../../test/chat/helpers.ts';
import { admin, aUser } from '../../../../test/harness.ts';
import { startMailCatcher } from '../../../../../../tools/mail/index.ts';
import { startMailer } from '../../../platform/mailer.ts';
import { replyEmails } from './reply-email.emails.ts';

const mail = await startMailCatcher();
const { chatSettings } = await aChatStack({ SMTP_URL: mail.smtpUrl, MAIL_FROM: 'no-reply@parley.example' });
const worker = await startWorkerInProcess(chatSettings);
const { app, close } = await openApi(chatSettings);
const { services, log } = worker.platform;
const mailer = startMailer({
  services,
  renderers: replyEmails(services),
  smtpUrl: mail.smtpUrl,
  from: 'no-reply@parley.example',
  log,
});
afterAll(async () => {
  await mailer.stop();
  await close();
  await worker.stop();
  await mail.stop();
});

/** A visitor who waits for a person and has left an address, and an agent who has claimed the conversation. */
async function aChat(message: (email: string) => string = (email) => `my bike rattles, write to ${email}`) {
  const tenant = await aTenant({ plan: 'team' });
  const visitor = await aVisitor(app, await aBot(tenant, { languages: ['en', 'de'] }));
  const email = `ada-${crypto.randomUUID()}@visitors.example`;
  const asked = (
    await visitor.say('I want to speak to a person', { context: { pageUrl: `${page}/help` } })
  ).json<SendResponse>();
  const { conversationId } = asked;
  await visitor.say(message(email));
  const agent = await aUser([{ tenantId: tenant.tenantId, roles: ['agent'] }]);
  const at = `/conversations/${conversationId}`;
  const claim = () => agent.post(`${at}/claim`, {});
  const reply = async (text: string) => {
    const sent = await agent.post(`${at}/replies`, { text });
    expect(sent.statusCode, sent.body).toBeLessThan(300);
  };
  const texts = async () =>
    (await tenant.get(`${at}/messages`)).json<{ data: MessageResponse[] }>().data.map(({ text }) => text);
  return { tenant, visitor, email, asked, claim, reply, texts, mine: `/widget/conversations/${conversationId}` };
}

/** Two minutes later. */
async function letEmailsBeDue(email: string) {
  await sql`update directory.emails set due_at = now() where recipient = ${email}`.execute(admin);
  mailer.wake();
  await expect
    .poll(async () => (await sql`select from directory.emails where recipient = ${email}`.execute(admin)).rows.length, {
      timeout: 15_000,
    })
    .toBe(0);
  return mail.messages().filter(({ to }) => to.includes(email));
}

test('a request for a person asks for an email address, and confirms the one that is written', async () => {
  const { asked, texts, email } = await aChat();
  expect(asked.reply?.text).toContain('write your email address');
  expect(await texts()).toContain(`Thank you. We’ll also send our reply to ${email}.`);
});

test('what an agent writes reaches the visitor by email, once, with a link back to the page', async () => {
  const { email, claim, reply } = await aChat();
  await claim();
  await reply('It is the mudguard.');
  await reply('Tighten the screw at the back.');
  const emails = await letEmailsBeDue(email);
  expect(emails).toHaveLength(1);
  expect(emails[0]?.text).toMatch(/mudguard[^]*Tighten the screw/);
  expect(emails[0]?.text).toContain(`${page}/help`);
});

test('nothing is sent to a visitor who is back, nor after erasure', async () => {
  const [back, erased] = [await aChat(), await aChat()];
  for (const { claim, reply } of [back, erased]) {
    await claim();
    await reply('Hello?');
  }
  await back.visitor.say('I am here');
  expect((await app.inject({ method: 'DELETE', url: '/widget/me', headers: erased.visitor.headers })).statusCode).toBe(
    200,
  );
  expect(await letEmailsBeDue(back.email)).toEqual([]);
  expect(await letEmailsBeDue(erased.email)).toEqual([]);
});

test('the bot says nothing once an agent has the conversation, and still notes the address', async () => {
  const { visitor, claim, reply, texts } = await aChat(() => 'hello?');
  await claim();
  const email = `bea-${crypto.randomUUID()}@visitors.example`;
  await visitor.say(`You can reach me at ${email}.`);
  expect((await texts()).join('\n')).not.toContain('also send our reply');
  await reply('Thanks, I will write to you.');
  expect(await letEmailsBeDue(email)).toHaveLength(1);
});

test('links to no page that the bot is not allowed on', async () => {
  const { email, claim, reply } = await aChat();
  await sql`update conversations set page_url = 'https://evil.example/login' where id in (
    select conversation_id from conversation_events where payload ->> 'email' = ${email})`.execute(admin);
  await claim();
  await reply('Hello!');
  const [sent] = await letEmailsBeDue(email);
  expect(sent?.text).toContain('Hello!');
  expect(sent?.text).not.toContain('evil.example');
});

test('writes in the language of the visitor', async () => {
  const { email, claim, reply, texts } = await aChat(
    (address) => `Mein Fahrrad klappert, bitte schreiben Sie an ${address}`,
  );
  expect((await texts()).join('\n')).toContain(`Wir senden unsere Antwort auch an ${email}.`);
  await claim();
  await reply('Guten Tag!');
  expect((await letEmailsBeDue(email))[0]?.text).toContain('hat auf Ihren Chat geantwortet');
});
