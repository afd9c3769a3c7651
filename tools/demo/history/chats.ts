import { settle } from '../../../apps/server/src/features/actions/run/runs.ts';
import { find as findRun } from '../../../apps/server/src/features/actions/run/runs.store.ts';
import { acceptMessage } from '../../../apps/server/src/features/conversations/visitor/accept.ts';
import * as agents from '../../../apps/server/src/features/conversations/agent/agents.service.ts';
import { runChats } from '../../../apps/server/src/features/conversations/turn/action-runs.ts';
import { startTurn, saveReply, type TurnDeps } from '../../../apps/server/src/features/conversations/turn/turn.ts';
import * as visitors from '../../../apps/server/src/features/conversations/visitor/visitor.service.ts';
import { plans } from '../../../apps/server/src/features/entitlements/plans.ts';
import type { CachedTenant } from '../../../apps/server/src/features/tenants/index.ts';
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

const requestInfo = { ip: '203.0.113.7', userAgent: 'demo', requestId: 'req_demo' };

/** A visitor on a page of the shop: what they and the team do, each at its time on the moved clock. */
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
    startedAt: new Date(),
    expiresAt: new Date(Date.now() + 3_600_000),
    ...(contact && { contact }),
  };
  const visitorDeps = {
    config: { SMTP_URL: undefined },
    services: parts.services,
    signals: undefined as never, // only needed to stop a reply
    tenantState: () => ({ features: new Set(Feature.options) }) as unknown as CachedTenant,
  };
  let conversationId: Id<'conversation'> | undefined;
  const currentId = () => {
    if (!conversationId) throw new Error('no message was sent yet');
    return conversationId;
  };
  const asTeam = <T>(caller: Caller, work: Parameters<typeof inTenant<T>>[2]) => inTenant(parts.services, caller, work);

  return {
    session,
    /** Sends a message and waits for the bot, if the bot replies. Action runs that it starts get `result`. */
    async ask(message: string, result?: { display: string; isFailed?: boolean }) {
      const { conversationId: id, turnId } = await inTenant(parts.services, asVisitor(session), async (ctx) => {
        const context = { pageUrl: `${shop.siteUrl}${page}`, language };
        const accepted = await acceptMessage(ctx, session, { message, context }, plans.enterprise);
        // The database's clock is not moved, and response times are counted from here.
        if (accepted.turnId)
          await ctx.tx.updateTable('turns').set({ createdAt: ctx.now }).where('id', '=', accepted.turnId).execute();
        return accepted;
      });
      conversationId = id;
      if (!turnId) return;
      clock.advance(random.between(300, 2_400));
      const key = { tenantId: shop.tenantId, conversationId: id };
      const started = await startTurn(parts, key, turnId);
      for (const runId of started?.runs ?? []) await finishRun(parts, shop, runId, result);
      if (started && started.runs.length > 0) {
        clock.advance(random.between(200, 900));
        await saveReply(parts, key, turnId);
      }
    },
    askForPerson: (reason: string) => visitors.askForPerson(visitorDeps, session, currentId(), reason, requestInfo),
    rate: (rating: number, comment: string) =>
      visitors.rate(visitorDeps, session, currentId(), { rating, comment }, requestInfo),
    claim: (caller: Caller) => asTeam(caller, (ctx) => agents.claim(ctx, currentId(), undefined)),
    reply: (caller: Caller, text: string) => asTeam(caller, (ctx) => agents.reply(ctx, currentId(), { text })),
    note: (caller: Caller, text: string) => asTeam(caller, (ctx) => agents.note(ctx, currentId(), text)),
    close: (caller: Caller) => asTeam(caller, (ctx) => agents.close(ctx, currentId())),
  };
}

/** As if the shop's system had responded: it would refuse a signature that is weeks old. */
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
