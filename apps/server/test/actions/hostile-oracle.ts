import { createHash } from 'node:crypto';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { createLocalJWKSet, jwtVerify, type JSONWebKeySet } from 'jose';
import type { ReceivedCall } from '../../../../tools/receiver/index.ts';
import { admin } from '../harness.ts';
import type { Invocation, Shop } from './fixture.ts';
import { actions, type Person } from './hostile-world.ts';

// What may be true of a call that arrived at the tenant's system, judged with nothing of what decided to send it.

/** A conversation of this test, and what its visitor really agreed to. */
export interface Session {
  shop: Shop;
  person: Person;
  conversationId: string;
  /** By run: the hash that the visitor was shown and said yes to, and when. */
  agreed: Map<string, { argsHash: string; at: number }>;
  declined: Set<string>;
}

const ajv = new Ajv2020({ strict: false });
const checks = new Map(actions.map(({ name, inputSchema }) => [name, ajv.compile(inputSchema)]));
const named = new Map(actions.map((action) => [action.name, action as Partial<Record<string, unknown>>]));
const stepsOf = new Map<string, string[]>([
  ['send_back', ['order_status', 'refund_step']],
  ['refund_and_close', ['close_step', 'refund_step', 'reopen_step']],
]);

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, part]) => [key, sorted(part)] as const);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
export const hashOf = (input: unknown) =>
  createHash('sha256')
    .update(JSON.stringify(sorted(input)))
    .digest('hex');

/** Everything that is wrong with what was sent, in words; empty is what is wanted. */
export async function problemsOfCalls(
  calls: readonly ReceivedCall[],
  sessions: readonly Session[],
  jwks: JSONWebKeySet,
): Promise<string[]> {
  const problems: string[] = [];
  const keys = createLocalJWKSet(jwks);
  const byConversation = new Map(sessions.map((session) => [session.conversationId, session]));
  const rows = await admin.selectFrom('actionRuns').selectAll().execute();
  const runs = new Map(rows.map((row) => [row.id, row]));
  const answered = await confirmationsInLog();
  const perTurn = new Map<string, Set<string>>();
  for (const call of calls) {
    const body = JSON.parse(call.body) as Invocation & { tenantId: string; botId: string };
    const say = (what: string) => problems.push(`${body.action} ${body.id}: ${what}`);
    const session = byConversation.get(body.conversationId ?? '');
    if (call.problem) say(call.problem);
    if (!session) {
      say('of no conversation that there was');
      continue;
    }
    const { shop, person } = session;
    if (call.path !== shop.path || body.tenantId !== shop.tenant.tenantId || body.botId !== shop.bot.botId)
      say('sent to somebody else, or for another bot');
    const action = named.get(body.action);
    if (!action || shop.ids.get(body.action) !== body.actionId) {
      say('no action of this bot');
      continue;
    }
    const run = runs.get(body.id);
    const parent = run?.parentId ? runs.get(run.parentId) : undefined;
    const workflow = (parent?.spec as { name?: string } | undefined)?.name ?? '';
    if (body.step === null ? action['isOffered'] === false : !stepsOf.get(workflow)?.includes(body.action))
      say('not offered, and no step of what was asked for');

    const isMeant = checks.get(body.action)?.(body.input) === true;
    if (!isMeant) say(`not what the schema allows: ${call.body.slice(0, 300)}`);
    if (hashOf(body.input) !== body.argsHash) say('the hash is of something else');

    const needsContact = [body.action, workflow].some((name) => named.get(name)?.['requiresContact'] === true);
    if (needsContact && person.externalUserId === null) say('for somebody who is not signed in');
    if ((body.actor.externalUserId ?? null) !== person.externalUserId) say('for somebody else');
    const token = call.headers['x-service-end-user'];
    const { payload } = token
      ? await jwtVerify(String(token), keys, { audience: shop.tenant.tenantId, currentDate: new Date(call.at) })
      : { payload: null };
    if ((payload?.sub ?? null) !== person.externalUserId) say('vouched for somebody else');
    if (payload && (payload['args_hash'] !== body.argsHash || payload['run_id'] !== body.id))
      say('vouched for another');

    if (action['risk'] === 'write' && !run?.isCompensation) {
      const agreed = session.agreed.get(body.id);
      if (agreed?.argsHash !== hashOf(body.input)) say('the visitor agreed to nothing of the kind');
      if (agreed && agreed.at > call.at) say('sent before the visitor agreed');
      const logged = answered.find(({ runId, argsHash }) => runId === body.id && argsHash === body.argsHash);
      if (logged?.conversationId !== session.conversationId || !logged.isConfirmed || logged.at > call.at)
        say('the log knows of no such agreement');
    }
    if (run?.isCompensation) {
      const undone = rows.find((row) => row.parentId === run.parentId && row.step === run.step && !row.isCompensation);
      if (undone?.outcome !== 'succeeded') say('undoes what was not done');
    }
    if (session.declined.has(body.id) || (parent && session.declined.has(parent.id))) say('the visitor said no');
    const top = run?.parentId ?? body.id;
    const turn = String(run?.turnId);
    perTurn.set(turn, (perTurn.get(turn) ?? new Set()).add(top));
  }
  for (const [turn, made] of perTurn) if (made.size > 3) problems.push(`${turn}: ${made.size} calls`);
  return problems;
}

async function confirmationsInLog() {
  const rows = await admin
    .selectFrom('conversationEvents')
    .select(['conversationId', 'payload', 'createdAt'])
    .where('type', '=', 'confirmation.answered')
    .execute();
  return rows.map(({ conversationId, payload, createdAt }) => ({
    conversationId,
    at: createdAt.getTime() - 50, // another clock
    ...(payload as { runId: string; argsHash: string; isConfirmed: boolean }),
  }));
}

/** What of it came to the model, by its name; empty is what is wanted. */
export function leaksIn(bodies: readonly unknown[], canaries: ReadonlyMap<string, string>): string[] {
  const tokens = new Map<string, string>();
  const few: [string, string][] = [];
  for (const [name, value] of canaries) {
    if (/^[\w.-]{100,}$/.test(value)) tokens.set(value, name);
    else few.push([name, value]);
  }
  return bodies.flatMap((body) => {
    const text = JSON.stringify(body);
    const long = text.match(/[\w.-]{100,}/g) ?? [];
    return [
      ...long.flatMap((word) => tokens.get(word) ?? []),
      ...few.flatMap(([name, value]) => (text.includes(value) ? [name] : [])),
    ];
  });
}
