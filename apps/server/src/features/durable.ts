import type { Config } from '../platform/config.ts';
import type { Ground } from '../platform/context.ts';
import type { EmailWriters } from '../platform/emails.ts';
import type { Platform } from '../platform/platform.ts';
import type { Subscriber } from '../platform/relay.ts';
import type { Durable, Engine } from '../platform/restate.ts';
import type { TimerHandlers } from '../platform/timers.ts';
import { accountEmails } from './accounts/emails.ts';
import { purgeUnverified } from './accounts/purge-unverified.ts';
import { actionRun } from './actions/action-run.workflow.ts';
import { overdueRuns, wakeRuns } from './actions/actions.reactions.ts';
import { forgetTried, openAssertions } from './actions/index.ts';
import { signAuditHeads } from './audit/index.ts';
import { overdueKeyExpiry, scheduleKeyExpiry } from './api-keys/api-keys.reactions.ts';
import { apiKeyExpiry } from './api-keys/api-keys.workflow.ts';
import { conversation } from './conversations/conversation.workflow.ts';
import { overdueTurns, wakeConversations } from './conversations/conversations.reactions.ts';
import { forgetConversations, runChats, turnParts } from './conversations/index.ts';
import { listWords } from './conversations/indexing.ts';
import { wakeSilentRotation } from './key-rotation/key-rotation.reactions.ts';
import { keyRotation } from './key-rotation/key-rotation.workflow.ts';
import { openEmbedder } from './knowledge/index.ts';
import { overdueKnowledge, syncKnowledge } from './knowledge/knowledge.reactions.ts';
import { knowledgeSource } from './knowledge/knowledge.workflow.ts';
import { forgetErasures } from './tenants/tenant-erasure.store.ts';
import { overdueErasure, wakeTenant } from './tenants/tenants.reactions.ts';
import { forgetRequestErrors } from './support/request-errors.ts';
import { expireHeld } from './webhooks/deliveries.service.ts';
import { webhookEndpoint } from './webhooks/endpoint.workflow.ts';
import { supportEmails } from './support-access/support-access.emails.ts';
import { webhookEmails } from './webhooks/notices.emails.ts';
import { startReplays, webhookReplay } from './webhooks/replay.workflow.ts';
import { overdueWebhooks, wakeEndpoints } from './webhooks/webhooks.reactions.ts';

/** What the worker runs for the features: one line each. */
export const workflows = (platform: Platform): Durable[] => [
  apiKeyExpiry(platform.ground),
  conversation(turnParts(platform)),
  knowledgeSource(platform.ground, platform.tenantFetch, openEmbedder(platform)),
  actionRun({
    ground: platform.ground,
    fetch: platform.tenantFetch,
    chats: runChats,
    assertions: openAssertions(platform.ground, platform.config.PUBLIC_URL),
  }),
  webhookEndpoint(platform),
  webhookReplay(platform.ground, platform.engine),
  keyRotation(platform.ground),
];

export const subscribers = (ground: Ground, engine: Engine): Subscriber[] => [
  wakeConversations(engine),
  wakeRuns(engine),
  scheduleKeyExpiry(engine),
  syncKnowledge(engine),
  wakeEndpoints(ground, engine),
  startReplays(engine),
  wakeTenant(ground, heldTimers(ground, engine)),
  listWords(ground), // last: nobody waits for it
];

export const timerHandlers = (ground: Ground, engine: Engine, elsewhere: Platform['elsewhere']): TimerHandlers => ({
  ...heldTimers(ground, engine),
  ...overdueErasure(ground, elsewhere),
});

/** What waits while its tenant is held, and is called for when it goes on. */
const heldTimers = (ground: Ground, engine: Engine): TimerHandlers => ({
  ...overdueKeyExpiry(ground, engine),
  ...overdueTurns(engine),
  ...overdueRuns(engine),
  ...overdueKnowledge(ground, engine),
  ...overdueWebhooks(ground, engine),
});

export const emailWriters = (ground: Ground, config: Config): EmailWriters => ({
  ...accountEmails(ground, config),
  ...webhookEmails,
  ...supportEmails(ground, config),
});

/** What every worker does each hour, besides the platform's own. */
export const hourly = (ground: Ground, log: Platform['log']): Promise<unknown>[] => [
  forgetConversations(ground),
  forgetTried(ground),
  expireHeld(ground),
  forgetRequestErrors(ground),
  forgetErasures(ground),
  signAuditHeads(ground, log),
  purgeUnverified(ground),
];

/** And each minute. */
export const minutely = (ground: Ground, engine: Engine): Promise<unknown>[] => [wakeSilentRotation(ground, engine)];
