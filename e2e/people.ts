import { expect, vi } from 'vitest';
import { solve, type Challenge } from '../tools/testing/proof-of-work.ts';
import { demo } from './browser.ts';

const password = 'a lantern in the harbour';
const json = { 'content-type': 'application/json' };

export async function post<T>(path: string, body: object, headers: Record<string, string> = {}): Promise<T> {
  const response = await fetch(demo.apiUrl + path, {
    method: 'POST',
    headers: { ...json, ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  expect(response.ok, `${path}: ${response.status} ${text}`).toBe(true);
  return JSON.parse(text) as T;
}

/** From the newest email to that person. */
export async function linkFor(email: string): Promise<URL> {
  const findLink = async () => {
    const response = await fetch(`${demo.mailUrl}/messages`);
    const emails = (await response.json()) as { to: string[]; text: string }[];
    const found = /https?:\/\/\S+token=\S+/.exec(emails.find(({ to }) => to.includes(email))?.text ?? '')?.[0];
    if (!found) throw new Error(`no email to ${email}`);
    return new URL(found);
  };
  return vi.waitFor(findLink, { timeout: 60_000, interval: 100 });
}

const anEmail = (localPart: string) => `${localPart}-${crypto.randomUUID().slice(0, 8)}@northlight.example`;

/** An owner of a new, empty organisation. */
export async function aNewcomer() {
  const email = anEmail('nora');
  // From a separate IP: sign-ups per IP are limited.
  const ownIp = { 'x-forwarded-for': `10.${[0, 0, 0].map(() => Math.floor(Math.random() * 256)).join('.')}` };
  const { challenge } = await post<{ challenge: Challenge }>('/auth/signup/challenge', {}, ownIp);
  const proof = solve(challenge);
  await post('/auth/signup', { email, name: 'Nora North', organisation: 'Northlight', proof }, ownIp);
  const token = (await linkFor(email)).searchParams.get('token');
  await post('/auth/email/verify', { token, password });
  return { email, password };
}

/** A colleague in an organisation, by default the demo's. */
export async function aColleague(
  role: 'admin' | 'developer' | 'agent' | 'viewer',
  { owner = demo.customer, name = `Robin ${role}` } = {},
) {
  const email = anEmail(role);
  const { accessToken } = await post<{ accessToken: string }>('/auth/login', owner);
  await post('/invitations', { email, roles: [role] }, { authorization: `Bearer ${accessToken}` });
  const token = (await linkFor(email)).searchParams.get('token');
  await post('/auth/invitations/accept', { token, name, password });
  return { email, password };
}

interface TestChat {
  sessionToken: string;
  conversationId: string;
}

/** A visitor of the demo's shop who sends these messages, one after the other. */
export async function aChat(...questions: string[]): Promise<TestChat> {
  const { publicKey, botId, siteUrl } = demo;
  const origin = { origin: new URL(siteUrl).origin };
  const { sessionToken } = await post<TestChat>(
    '/widget/sessions/anonymous',
    { publicKey, botId, visitorId: 'web' },
    origin,
  );
  let conversationId = '';
  for (const message of questions)
    ({ conversationId } = await post<TestChat>(`/widget/chatbots/${botId}/message`, { sessionToken, message }, origin));
  return { sessionToken, conversationId };
}

export const requestHandoff = ({ sessionToken, conversationId }: TestChat, reason = '') =>
  post(
    `/widget/conversations/${conversationId}/handoff`,
    { reason },
    { authorization: `Bearer ${sessionToken}`, origin: new URL(demo.siteUrl).origin },
  );
