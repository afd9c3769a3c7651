import { createHash } from 'node:crypto';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { createLocalJWKSet, jwtVerify, type JSONWebKeySet } from 'jose';
import type { ReceivedCall } from '../../../../tools/receiver/index.ts';
import { admin } from '../harness.ts';
import type { Invocation, Shop } from './fixture.ts';
import { actions, type Person } from './hostile-world.ts';

// Checks the calls that arrived at the tenant's backend, independently of the code that sent them.

/** A conversation of this test, and what its visitor confirmed. */
export interface Session {
  shop: Shop;
  person: Person;
  conversationId: string;
  /** By run: the hash that the visitor confirmed, and when. */
  agreed: Map<string, { argsHash: string; at: number }>;
  declined: Set<string>;
}

const ajv = new Ajv2020({ strict: false });
const checks = new Map(actions.map(({ name, inputSchema }) => [name, ajv.compile(inputSchema)]));
const actionsByName = new Map(actions.map((action) => [action.name, action as Partial<Record<string, unknown>>]));
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

/** All problems with the calls that were sent. */
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
  const confirmations = await confirmationsInLog();
  const perTurn = new Map<string, Set<string>>();
  for (const call of calls) {
    const body = JSON.parse(call.body) as Invocation & { tenantId: string; botId: string };
    const report = (what: string) => problems.push(`${body.action} ${body.id}: ${what}`);
    const session = byConversation.get(body.conversationId ?? '');
    if (call.problem) report(call.problem);
    if (!session) {
      report('unknown conversation');
      continue;
    }
    const { shop, person } = session;
    if (call.path !== shop.path || body.tenantId !== shop.tenant.tenantId || body.botId !== shop.bot.botId)
      report('sent to another tenant, or for another bot');
    const action = actionsByName.get(body.action);
    if (!action || shop.ids.get(body.action) !== body.actionId) {
      report('not an action of this bot');
      continue;
    }
    const run = runs.get(body.id);
    const parent = run?.parentId ? runs.get(run.parentId) : undefined;
    const workflow = (parent?.spec as { name?: string } | undefined)?.name ?? '';
    if (body.step === null ? action['isOffered'] === false : !stepsOf.get(workflow)?.includes(body.action))
      report('not offered, and not a step of the workflow');

    const isValid = checks.get(body.action)?.(body.input) === true;
    if (!isValid) report(`does not match the schema: ${call.body.slice(0, 300)}`);
    if (hashOf(body.input) !== body.argsHash) report('the hash does not match the input');

    const needsContact = [body.action, workflow].some((name) => actionsByName.get(name)?.['requiresContact'] === true);
    if (needsContact && person.externalUserId === null) report('for a visitor who is not signed in');
    if ((body.actor.externalUserId ?? null) !== person.externalUserId) report('for another user');
    const token = call.headers['x-service-end-user'];
    const { payload } = token
      ? await jwtVerify(String(token), keys, { audience: shop.tenant.tenantId, currentDate: new Date(call.at) })
      : { payload: null };
    if ((payload?.sub ?? null) !== person.externalUserId) report('assertion for another user');
    if (payload && (payload['args_hash'] !== body.argsHash || payload['run_id'] !== body.id))
      report('assertion for another call');

    if (action['risk'] === 'write' && !run?.isCompensation) {
      const agreed = session.agreed.get(body.id);
      if (agreed?.argsHash !== hashOf(body.input)) report('not confirmed by the visitor');
      if (agreed && agreed.at > call.at) report('sent before the confirmation');
      const logged = confirmations.find(({ runId, argsHash }) => runId === body.id && argsHash === body.argsHash);
      if (logged?.conversationId !== session.conversationId || !logged.isConfirmed || logged.at > call.at)
        report('no confirmation in the log');
    }
    if (run?.isCompensation) {
      const compensatedRun = rows.find(
        (row) => row.parentId === run.parentId && row.step === run.step && !row.isCompensation,
      );
      if (compensatedRun?.outcome !== 'succeeded') report('compensates a step that did not succeed');
    }
    if (session.declined.has(body.id) || (parent && session.declined.has(parent.id))) report('declined by the visitor');
    const top = run?.parentId ?? body.id;
    const turn = String(run?.turnId);
    perTurn.set(turn, (perTurn.get(turn) ?? new Set()).add(top));
  }
  for (const [turn, runIds] of perTurn) if (runIds.size > 3) problems.push(`${turn}: ${runIds.size} calls`);
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
    at: createdAt.getTime() - 50, // tolerance for clock differences
    ...(payload as { runId: string; argsHash: string; isConfirmed: boolean }),
  }));
}

/** The names of all canaries that reached the model. */
export function leaksIn(bodies: readonly unknown[], canaries: ReadonlyMap<string, string>): string[] {
  const tokens = new Map<string, string>();
  const shortCanaries: [string, string][] = [];
  for (const [name, value] of canaries) {
    if (/^[\w.-]{100,}$/.test(value)) tokens.set(value, name);
    else shortCanaries.push([name, value]);
  }
  return bodies.flatMap((body) => {
    const text = JSON.stringify(body);
    const long = text.match(/[\w.-]{100,}/g) ?? [];
    return [
      ...long.flatMap((word) => tokens.get(word) ?? []),
      ...shortCanaries.flatMap(([name, value]) => (text.includes(value) ? [name] : [])),
    ];
  });
}
