import { settle } from '../../../apps/server/src/features/actions/run/runs.ts';
import { find as findRun } from '../../../apps/server/src/features/actions/run/runs.store.ts';
import { acceptMessage } from '../../../apps/server/src/features/conversations/visitor/accept.ts';
import * as agents from '../../../apps/server/src/features/conversations/agent/agents.service.ts';
import { runChats } from '../../../apps/server/src/features/conversations/turn/action-runs.ts';
import { startTurn, saveReply, type TurnDeps } from '../../../apps/server/src/features/conversations/turn/turn.ts';
import * as visitors from '../../../apps/server/src/features/conversations/visitor/visitor.service.ts';
import { plans } from '../../../apps/server/src/features/entitlements/plans.ts';
import type { KnownTenant } from '../../../apps/server/src/features/tenants/index.ts';
import { Feature } from '../../../apps/server/src/platform/access.contract.ts';
import { inTenant, type Caller, type VisitorSession } from '../../../apps/server/src/platform/context.ts';
import type { Id } from '../../../apps/server/src/platform/ids.contract.ts';
import { newId } from '../../../apps/server/src/platform/ids.ts';
import { asVisitor } from '../../../apps/server/src/features/conversations/visitor/accept.ts';
import { clock, type Random } from './clock.ts';

export interface Shop {
  tenantId: Id<'tenant'>;
  environmentId: Id<'environment'>;
  botId: Id<'bot'>;
  serverKeyId: string;
  siteUrl: string;
}
export type Chat = ReturnType<typeof openChat>;

const from = { ip: '203.0.113.7', userAgent: 'demo', requestId: 'req_demo' };

/** One visitor at a page of the shop, and what they and the team do, each at its moment of the moved clock. */
export function openChat(
  parts: TurnDeps,
  shop: Shop,
  {
    random,
    page,
    language,
    contact,
  }: { random: Random; page: string; language: string; contact?: VisitorSession['contact'] },
) {
  const session: VisitorSession = {
    tenantId: shop.tenantId,
    environmentId: shop.environmentId,
    botId: shop.botId,
    openedBy: shop.serverKeyId,
    visitorId: newId('visitor'),
    label: '',
    origin: shop.siteUrl,
    beganAt: new Date(),
    expiresAt: new Date(Date.now() + 3_600_000),
    ...(contact && { contact }),
  };
  const visitorParts = {
    services: parts.services,
    signals: undefined as never, // only for stopping an answer
    tenantState: () => ({ features: new Set(Feature.options) }) as unknown as KnownTenant,
  };
  let conversationId: Id<'conversation'> | undefined;
  const opened = () => {
    if (!conversationId) throw new Error('nothing was said yet');
    return conversationId;
  };
  const asTeam = <T>(caller: Caller, work: Parameters<typeof inTenant<T>>[2]) => inTenant(parts.services, caller, work);

  return {
    session,
    /** Says something and waits for the bot, if the bot is to answer. Runs that it starts are answered by `result`. */
    async ask(message: string, result?: { display: string; isFailed?: boolean }) {
      const { conversationId: id, turnId } = await inTenant(parts.services, asVisitor(session), async (ctx) => {
        const context = { pageUrl: `${shop.siteUrl}${page}`, language };
        const accepted = await acceptMessage(ctx, session, { message, context }, plans.enterprise);
        // The database's own clock is not moved, and the reply time is counted from here.
        if (accepted.turnId)
          await ctx.tx.updateTable('turns').set({ createdAt: ctx.now }).where('id', '=', accepted.turnId).execute();
        return accepted;
      });
      conversationId = id;
      if (!turnId) return;
      clock.advance(random.between(300, 2_400));
      const place = { tenantId: shop.tenantId, conversationId: id };
      const begun = await startTurn(parts, place, turnId);
      for (const runId of begun?.runs ?? []) await finishRun(parts, shop, runId, result);
      if (begun && begun.runs.length > 0) {
        clock.advance(random.between(200, 900));
        await saveReply(parts, place, turnId);
      }
    },
    askForPerson: (reason: string) => visitors.askForPerson(visitorParts, session, opened(), reason, from),
    rate: (rating: number, comment: string) =>
      visitors.rate(visitorParts, session, opened(), { rating, comment }, from),
    claim: (caller: Caller) => asTeam(caller, (ctx) => agents.claim(ctx, opened(), undefined)),
    reply: (caller: Caller, text: string) => asTeam(caller, (ctx) => agents.reply(ctx, opened(), { text })),
    note: (caller: Caller, text: string) => asTeam(caller, (ctx) => agents.note(ctx, opened(), text)),
    close: (caller: Caller) => asTeam(caller, (ctx) => agents.close(ctx, opened())),
  };
}

/** As if the shop's system had answered: a signature of weeks ago is not one that it would take today. */
async function finishRun(
  { services }: TurnDeps,
  { tenantId }: Shop,
  runId: string,
  result: { display: string; isFailed?: boolean } = { display: 'Your order is on its way.' },
) {
  const bot: Caller = { tenantId, actor: { type: 'bot', id: 'bot' }, permissions: new Set() };
  await inTenant(services, bot, async (ctx) => {
    const run = await findRun(ctx.tx, runId);
    if (!run) throw new Error(`no run ${runId}`);
    const { display, isFailed = false } = result;
    const attempt = {
      n: 1,
      kind: 'invoke' as const,
      at: ctx.now.toISOString(),
      end: isFailed ? ('refused' as const) : ('answered' as const),
      status: isFailed ? 404 : 200,
      error: null,
      ms: 184,
      hint: isFailed ? 'Your system refused the call.' : 'Your system answered.',
      responseHash: null,
    };
    await settle(ctx, runChats, run, {
      state: isFailed ? 'failed' : 'succeeded',
      outcome: isFailed ? 'failed' : 'succeeded',
      display,
      attempts: [attempt],
      ...(isFailed && { error: { code: 'unknown_order', message: display } }),
    });
  });
}
