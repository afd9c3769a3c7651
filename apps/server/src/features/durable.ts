import type { Config } from '../platform/config.ts';
import type { Services } from '../platform/context.ts';
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
  apiKeyExpiry(platform.services),
  conversation(turnParts(platform)),
  knowledgeSource(platform.services, platform.tenantFetch, openEmbedder(platform)),
  actionRun({
    services: platform.services,
    fetch: platform.tenantFetch,
    chats: runChats,
    assertions: openAssertions(platform.services, platform.config.PUBLIC_URL),
  }),
  webhookEndpoint(platform),
  webhookReplay(platform.services, platform.engine),
  keyRotation(platform.services),
];

export const subscribers = (services: Services, engine: Engine): Subscriber[] => [
  wakeConversations(engine),
  wakeRuns(engine),
  scheduleKeyExpiry(engine),
  syncKnowledge(engine),
  wakeEndpoints(services, engine),
  startReplays(engine),
  wakeTenant(services, heldTimers(services, engine)),
  listWords(services), // last: nobody waits for it
];

export const timerHandlers = (services: Services, engine: Engine, elsewhere: Platform['elsewhere']): TimerHandlers => ({
  ...heldTimers(services, engine),
  ...overdueErasure(services, elsewhere),
});

/** What waits while its tenant is held, and is called for when it goes on. */
const heldTimers = (services: Services, engine: Engine): TimerHandlers => ({
  ...overdueKeyExpiry(services, engine),
  ...overdueTurns(engine),
  ...overdueRuns(engine),
  ...overdueKnowledge(services, engine),
  ...overdueWebhooks(services, engine),
});

export const emailWriters = (services: Services, config: Config): EmailWriters => ({
  ...accountEmails(services, config),
  ...webhookEmails,
  ...supportEmails(services, config),
});

/** What every worker does each hour, besides the platform's own. */
export const hourly = (services: Services, log: Platform['log']): Promise<unknown>[] => [
  forgetConversations(services),
  forgetTried(services),
  expireHeld(services),
  forgetRequestErrors(services),
  forgetErasures(services),
  signAuditHeads(services, log),
  purgeUnverified(services),
];

/** And each minute. */
export const minutely = (services: Services, engine: Engine): Promise<unknown>[] => [
  wakeSilentRotation(services, engine),
];
