import type { HttpDeps } from '../platform/http/server.ts';
import type { Platform } from '../platform/platform.ts';
import { actionRoutes } from './actions/actions.routes.ts';
import { actionCommands, openAssertions } from './actions/index.ts';
import { operatorAnnouncementRoutes } from './announcements/announcements.operator-routes.ts';
import { announcementRoutes } from './announcements/announcements.routes.ts';
import { createAnnouncementDeps } from './announcements/announcements.service.ts';
import { answerRoutes } from './answers/answers.routes.ts';
import { createModelAccess } from './answers/index.ts';
import { createKeyAuth } from './api-keys/api-keys.auth.ts';
import { apiKeyRoutes } from './api-keys/api-keys.routes.ts';
import { createLastUse } from './api-keys/last-use.ts';
import { agentPresenceRoutes } from './agents/agents.routes.ts';
import { auditRoutes } from './audit/audit.routes.ts';
import { createBotState } from './bots/bot-state.ts';
import { businessHoursRoutes } from './business-hours/business-hours.routes.ts';
import { contactRoutes } from './contacts/contacts.routes.ts';
import { agentRoutes } from './conversations/agent/agents.routes.ts';
import { assistRoutes } from './conversations/assist/assist.routes.ts';
import { assignmentRoutes } from './conversations/assignment/assignment.routes.ts';
import { inboxRoutes } from './conversations/inbox/inbox.routes.ts';
import { createTurnQueue } from './conversations/visitor/turn-queue.ts';
import { visitorRoutes } from './conversations/visitor/visitor.routes.ts';
import { resumeVisitor } from './conversations/visitor/visitor.service.ts';
import { eraseContact, exportContact } from './conversations/visitor/privacy.ts';
import { contactConversations, conversationCommands, runChats } from './conversations/index.ts';
import { botRoutes } from './bots/bots.routes.ts';
import { scheduleDigests } from './digests/digests.ts';
import { entitlementRoutes } from './entitlements/entitlements.routes.ts';
import { healthRoutes } from './health/health.routes.ts';
import { inboxViewRoutes } from './inbox-views/inbox-views.routes.ts';
import { openEmbedder } from './knowledge/index.ts';
import { knowledgeRoutes } from './knowledge/knowledge.routes.ts';
import { keyRotationRoutes } from './key-rotation/key-rotation.operator-routes.ts';
import { wakeRotation } from './key-rotation/key-rotation.reactions.ts';
import { memberRoutes } from './members/members.routes.ts';
import { modelRoutes } from './models/models.routes.ts';
import { operationsRoutes } from './operations/operations.operator-routes.ts';
import { auditLogRoutes } from './operators/audit-log/audit-log.operator-routes.ts';
import { operatorRoutes } from './operators/operators.routes.ts';
import { policyRoutes } from './policies/policies.routes.ts';
import { savedReplyRoutes } from './saved-replies/saved-replies.routes.ts';
import { securityTxtRoutes } from './security-txt/security-txt.routes.ts';
import { openSignIn } from './sign-in.ts';
import { erasureRoutes } from './tenants/erasure/erasures.operator-routes.ts';
import { createRequestErrors } from './support/request-errors.ts';
import { supportRoutes } from './support/support.operator-routes.ts';
import { supportAccessRoutes } from './support-access/support-access.routes.ts';
import { createTenantState } from './tenants/tenant-state.ts';
import { tenantDeletionRoutes } from './tenants/erasure/tenant-deletion.routes.ts';
import { tenantDetailRoutes } from './tenants/operator/tenant-details.operator-routes.ts';
import { operatorTenantRoutes } from './tenants/operator/tenants.operator-routes.ts';
import { teamRoutes } from './teams/teams.routes.ts';
import { tenantRoutes } from './tenants/tenants.routes.ts';
import { insightRoutes } from './usage/insights.routes.ts';
import { outcomeRoutes } from './usage/outcomes/outcomes.routes.ts';
import { usageRoutes } from './usage/usage.routes.ts';
import { meRoutes } from './users/users.routes.ts';
import { webhookSupportRoutes } from './webhooks/support/support.operator-routes.ts';
import { webhookRoutes } from './webhooks/webhooks.routes.ts';
import { widgetDeliveryRoutes } from './widget-delivery/widget-delivery.routes.ts';
import { createInstalls, openSessions } from './widget-sessions/index.ts';
import { widgetSessionRoutes } from './widget-sessions/widget-sessions.routes.ts';

interface Features extends Pick<
  HttpDeps,
  'routes' | 'authenticators' | 'tenantState' | 'visitorOf' | 'onRequestFailed'
> {
  stop(): Promise<void>;
}

/** All features of the HTTP API. */
export function openFeatures(platform: Platform, isStopping: () => boolean): Features {
  const { services, signals, log } = platform;
  const lastUse = createLastUse(services, log);
  const keys = createKeyAuth(services, signals, lastUse.record);
  const tenants = createTenantState(services, signals);
  const bots = createBotState(services, signals);
  const announcing = createAnnouncementDeps(services, signals);

  const signIn = openSignIn(platform);
  const { of: tenantState } = tenants;
  const runDeps = {
    services,
    fetch: platform.tenantFetch,
    chats: runChats,
    assertions: openAssertions(services, platform.config.PUBLIC_URL),
    log,
  };
  const commands = { ...conversationCommands, ...actionCommands(runChats) };
  const installs = createInstalls(services, log);
  const requestErrors = createRequestErrors(services, log);
  const admission = { ...platform, keys, bots, tenantState, recordInstall: installs.record };
  const sessions = openSessions({ ...admission, resumeVisitor: resumeVisitor(services) });

  const turnQueue = createTurnQueue(platform.metrics);
  const embedQuestion = openEmbedder(platform)?.embedQuestion;

  return {
    routes: [
      ...healthRoutes({ isStopping, ...platform.health }),
      ...securityTxtRoutes(platform.config),
      ...meRoutes({ services, tenants, ...signIn }),
      ...signIn.routes,
      ...tenantRoutes,
      ...supportAccessRoutes,
      ...policyRoutes(tenants.drop),
      ...memberRoutes(signIn.invalidateMember),
      ...entitlementRoutes(platform.config),
      ...auditRoutes,
      ...botRoutes(bots),
      ...knowledgeRoutes({ fetch: platform.tenantFetch, embedQuestion }),
      ...answerRoutes({ ...createModelAccess(platform), embedQuestion }),
      ...modelRoutes,
      ...widgetDeliveryRoutes(admission),
      ...widgetSessionRoutes(sessions),
      ...visitorRoutes({ ...platform, tenantState, turnQueue, checkEnd: sessions.checkEnd }, sessions),
      ...agentRoutes(platform),
      ...assignmentRoutes,
      ...agentPresenceRoutes(scheduleDigests),
      ...teamRoutes,
      ...businessHoursRoutes,
      ...inboxRoutes(platform),
      ...assistRoutes({ ...createModelAccess(platform), embedQuestion }),
      ...savedReplyRoutes,
      ...inboxViewRoutes,
      ...contactRoutes({
        conversations: contactConversations,
        exportContact,
        eraseContact: (ctx, id) => eraseContact(ctx, signals, id),
      }),
      ...usageRoutes,
      ...insightRoutes,
      ...outcomeRoutes,
      ...apiKeyRoutes(keys.invalidate),
      ...webhookRoutes({ ...platform, tenantState, commands }),
      ...actionRoutes(runDeps),
      ...operatorTenantRoutes(services.db, tenants),
      ...tenantDetailRoutes(services.db),
      ...tenantDeletionRoutes(tenants),
      ...erasureRoutes(services.db),
      ...webhookSupportRoutes(platform),
      ...supportRoutes(platform.config.TRACE_URL),
      ...announcementRoutes(announcing, tenants),
      ...operatorAnnouncementRoutes(announcing),
      ...auditLogRoutes({ services, ...signIn }),
      ...keyRotationRoutes({
        ...platform,
        ownPools: signIn.pools.map(({ name }) => name),
        signingKeyDays: platform.config.SIGNING_KEY_DAYS,
        wake: (id) => wakeRotation(platform.restate, id),
      }),
      ...operationsRoutes(platform),
      ...operatorRoutes({ services, portalUrl: platform.config.PORTAL_URL, ...signIn }),
    ],
    /** Tried in order; the first that finds its credential authenticates the request. */
    authenticators: [keys.authenticate, signIn.authenticator],
    tenantState,
    visitorOf: sessions.visitorOf,
    onRequestFailed: requestErrors.note,
    stop: async () => {
      signIn.stop();
      await Promise.all([lastUse.stop(), installs.stop(), requestErrors.stop()]);
    },
  };
}
