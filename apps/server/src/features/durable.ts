import type { Chores } from '../platform/chores.ts';
import type { Config } from '../platform/config.ts';
import { connect } from '../platform/db.ts';
import type { Services } from '../platform/context.ts';
import type { EmailRenderers } from '../platform/emails.ts';
import { maintainPartitions } from '../platform/partitions.ts';
import type { Platform } from '../platform/platform.ts';
import type { Subscriber } from '../platform/relay.ts';
import type { RestateClient } from '../platform/restate-client.ts';
import type { Durable } from '../platform/restate.ts';
import type { TimerHandlers } from '../platform/timers.ts';
import { accountEmails } from './accounts/emails.ts';
import { purgeExpiredSignIns } from './accounts/sign-in/purge-expired.store.ts';
import { purgeUnverified } from './accounts/sign-up/purge-unverified.store.ts';
import { actionRun } from './actions/run/action-run.workflow.ts';
import { overdueRuns, wakeRuns } from './actions/actions.reactions.ts';
import { purgeTestRuns, openAssertions } from './actions/index.ts';
import { signAuditHeads } from './audit/index.ts';
import { overdueKeyExpiry, scheduleKeyExpiry } from './api-keys/api-keys.reactions.ts';
import { apiKeyExpiry } from './api-keys/api-keys.workflow.ts';
import { conversation } from './conversations/turn/conversation.workflow.ts';
import { overdueTurns, wakeConversations } from './conversations/conversations.reactions.ts';
import { replyEmails } from './conversations/reply-email/reply-email.emails.ts';
import { purgeConversations, runChats, createTurnDeps } from './conversations/index.ts';
import { assignUnassigned, releaseOfFormerAgents } from './conversations/assignment/assignment.reactions.ts';
import { waitingEmails } from './conversations/assignment/waiting.emails.ts';
import { checkAfterSettings, overdueWaiting, watchWaiting } from './conversations/assignment/waiting.reactions.ts';
import { waitingConversation } from './conversations/assignment/waiting.workflow.ts';
import { indexContacts } from './conversations/search/index-contacts.ts';
import { indexMessages } from './conversations/search/index-messages.ts';
import { digestEmails } from './digests/digests.emails.ts';
import { queueDigests } from './digests/digests.ts';
import { wakeStalledRotation } from './key-rotation/key-rotation.reactions.ts';
import { keyRotation } from './key-rotation/key-rotation.workflow.ts';
import { openEmbedder } from './knowledge/index.ts';
import { overdueKnowledge, syncKnowledge } from './knowledge/knowledge.reactions.ts';
import { knowledgeSource } from './knowledge/ingest/knowledge.workflow.ts';
import { leaveDeletedTeams } from './teams/teams.reactions.ts';
import { purgeErasures } from './tenants/erasure/tenant-erasure.store.ts';
import { overdueErasure, wakeTenant } from './tenants/tenants.reactions.ts';
import { purgeOldQuestions } from './usage/index.ts';
import { purgeRequestErrors } from './support/request-errors.ts';
import { expireQueued } from './webhooks/log/deliveries.service.ts';
import { supportEmails } from './support-access/support-access.emails.ts';
import { webhookEmails } from './webhooks/endpoints/notices.emails.ts';
import { startLanes } from './webhooks/lanes/start-lanes.ts';
import { startReplays, webhookReplay } from './webhooks/log/replay.workflow.ts';
import { noteTenantStatus } from './webhooks/webhooks.reactions.ts';

/** The workflows of all features. */
export const workflows = (platform: Platform): Durable[] => [
  apiKeyExpiry(platform.services),
  conversation(createTurnDeps(platform)),
  waitingConversation(platform.services),
  knowledgeSource(platform.services, platform.tenantFetch, openEmbedder(platform)),
  actionRun({
    services: platform.services,
    fetch: platform.tenantFetch,
    chats: runChats,
    assertions: openAssertions(platform.services, platform.config.PUBLIC_URL),
    log: platform.log,
  }),
  webhookReplay(platform.services),
  keyRotation(platform.services),
];

/** Delivers webhooks. */
export function startDelivery(
  { services, signals, tenantFetch, log, config }: Platform,
  options: Partial<Parameters<typeof startLanes>[0]> = {},
) {
  const { DATABASE_URL: url, WEBHOOK_LANES: laneCount } = config;
  // Behind all transactions of a busy worker, a lease would end before it is renewed, and all its lanes would be lost.
  const leaseDb = connect(url, { max: 1, label: 'lease' });
  const lanes = startLanes({ services, leaseDb, signals, fetch: tenantFetch, log, laneCount, ...options });
  return {
    ...lanes,
    stop: async (graceMs?: number) => {
      await lanes.stop(graceMs);
      await leaseDb.destroy();
    },
  };
}

export const subscribers = (services: Services, restate: RestateClient): Subscriber[] => [
  wakeConversations(restate),
  watchWaiting(restate),
  checkAfterSettings(services, restate),
  releaseOfFormerAgents(services),
  assignUnassigned(services),
  leaveDeletedTeams(services),
  wakeRuns(restate),
  scheduleKeyExpiry(restate),
  syncKnowledge(restate),
  noteTenantStatus(services),
  startReplays(restate),
  wakeTenant(services, suspendableTimers(services, restate)),
  indexContacts(services), // last, because nothing waits for them
  indexMessages(services),
];

export const timerHandlers = (
  services: Services,
  restate: RestateClient,
  externalStores: Platform['externalStores'],
): TimerHandlers => ({
  ...suspendableTimers(services, restate),
  ...overdueErasure(services, externalStores),
});

/** Timers that are paused while their tenant is suspended, and run when it is resumed. */
const suspendableTimers = (services: Services, restate: RestateClient): TimerHandlers => ({
  ...overdueKeyExpiry(services, restate),
  ...overdueTurns(restate),
  ...overdueWaiting(restate),
  ...overdueRuns(restate),
  ...overdueKnowledge(services, restate),
});

export const emailRenderers = (services: Services, config: Config): EmailRenderers => ({
  ...accountEmails(services, config),
  ...webhookEmails,
  ...supportEmails(services, config),
  ...replyEmails(services),
  ...waitingEmails(services, config),
  ...digestEmails(config),
});

const hour = 3_600;

/** Maintenance, once per cell. */
export const chores = (services: Services, restate: RestateClient, log: Platform['log']): Chores => ({
  partitions: { everySeconds: hour, run: () => maintainPartitions(services.db) },
  'expired-sign-ins': { everySeconds: hour, run: () => purgeExpiredSignIns(services) },
  'unverified-accounts': { everySeconds: hour, run: () => purgeUnverified(services) },
  'expired-conversations': { everySeconds: hour, run: () => purgeConversations(services) },
  'old-questions': { everySeconds: hour, run: () => purgeOldQuestions(services) },
  'test-runs': { everySeconds: hour, run: () => purgeTestRuns(services) },
  'expired-deliveries': { everySeconds: hour, run: () => expireQueued(services) },
  'request-errors': { everySeconds: hour, run: () => purgeRequestErrors(services) },
  'erasure-receipts': { everySeconds: hour, run: () => purgeErasures(services) },
  'audit-heads': { everySeconds: hour, run: () => signAuditHeads(services, log) },
  digests: { everySeconds: 60, run: () => queueDigests(services) },
  'stalled-key-rotation': { everySeconds: 60, run: () => wakeStalledRotation(services, restate) },
});
