// Who may do what, written out once more and by hand: what the server says of itself is held against this.

export const tenantRoles = ['owner', 'admin', 'developer', 'agent', 'viewer'] as const;
type TenantRole = (typeof tenantRoles)[number];
const everyone = [...tenantRoles];

export const tenantTable: Record<string, readonly TenantRole[]> = {
  'tenant.view': everyone,
  'tenant.manage': ['owner', 'admin'],
  'tenant.delete': ['owner'],
  'ownership.transfer': ['owner'],
  'member.view': ['owner', 'admin'],
  'member.manage': ['owner', 'admin'],
  'billing.view': ['owner', 'admin'],
  'billing.manage': ['owner'],
  'bot.view': everyone,
  'bot.manage': ['owner', 'admin', 'developer'],
  'knowledge.manage': ['owner', 'admin', 'developer'],
  'conversation.view': everyone,
  'conversation.reply': ['owner', 'admin', 'agent'],
  'conversation.assign': ['owner', 'admin', 'agent'],
  'integration.view': everyone,
  'integration.manage': ['owner', 'admin', 'developer'],
  'api_key.view': ['owner', 'admin', 'developer'],
  'api_key.manage': ['owner', 'admin', 'developer'],
  'webhook.view': ['owner', 'admin', 'developer', 'viewer'],
  'webhook.manage': ['owner', 'admin', 'developer'],
  'analytics.view': ['owner', 'admin', 'developer', 'viewer'],
  'audit.view': ['owner', 'admin'],
};

export const platformRoles = ['platform_admin', 'support', 'auditor'] as const;
type PlatformRole = (typeof platformRoles)[number];

export const platformTable: Record<string, readonly PlatformRole[]> = {
  'platform.tenant.view': ['platform_admin', 'support', 'auditor'],
  'platform.tenant.manage': ['platform_admin'],
  'platform.user.view': ['platform_admin', 'support', 'auditor'],
  'platform.user.manage': ['platform_admin'],
  'platform.impersonate.request': ['platform_admin', 'support'],
  'platform.audit.view': ['platform_admin', 'auditor'],
  'platform.system.view': ['platform_admin', 'support', 'auditor'],
  'platform.system.manage': ['platform_admin'],
};

/** What a machine may hold: never people, keys, money or the tenant itself. */
export const machine = Object.keys(tenantTable).filter(
  (permission) => !/^(member|billing|api_key|ownership)\./.test(permission) && permission !== 'tenant.delete',
);

/** What each route of members needs, but for those about oneself. `any`: whoever has a credential. */
export const routesByPermission: Record<string, readonly string[]> = {
  any: ['getMe', 'listMyTenants', 'openAuthenticatedSession'],
  'tenant.view': [
    'getTenant',
    'getAnnouncements',
    'listWorkspaces',
    'getWorkspace',
    'listEnvironments',
    'getEnvironment',
    'getEntitlements',
  ],
  'tenant.manage': ['renameTenant', 'createWorkspace', 'renameWorkspace', 'createEnvironment', 'renameEnvironment'],
  'tenant.delete': ['deleteTenant'],
  'ownership.transfer': ['transferOwnership'],
  'member.view': ['listMembers', 'getMember', 'listInvitations', 'getInvitation', 'listRunningImpersonations'],
  'member.manage': ['changeMember', 'removeMember', 'createInvitation', 'revokeInvitation', 'resendInvitation'],
  'webhook.view': [
    'listWebhooks',
    'getWebhook',
    'listWebhookDeliveries',
    'getWebhookDelivery',
    'getWebhookReplay',
    'listEvents',
    'listWebhookEventTypes',
  ],
  'webhook.manage': [
    'createWebhook',
    'updateWebhook',
    'deleteWebhook',
    'rotateWebhookSecret',
    'makeInboundSecret',
    'pauseWebhook',
    'resumeWebhook',
    'testWebhook',
    'listenToWebhook',
    'replayWebhookDelivery',
    'startWebhookReplay',
    'cancelWebhookReplay',
  ],
  'bot.view': [
    'listBotSightings',
    'listKnowledgePassages',
    'listBots',
    'getBot',
    'listBotVersions',
    'getBotVersion',
    'diffBotVersions',
    'listKnowledgeSources',
    'getKnowledgeSource',
    'listKnowledgeDocuments',
    'listModels',
    'getModel',
  ],
  'bot.manage': [
    'askBot',
    'createBot',
    'updateBot',
    'archiveBot',
    'updateBotDraft',
    'publishBot',
    'deployBot',
    'tryBot',
    'createModel',
    'updateModel',
    'deleteModel',
  ],
  'knowledge.manage': [
    'createKnowledgeSource',
    'updateKnowledgeSource',
    'deleteKnowledgeSource',
    'syncKnowledgeSource',
    'uploadKnowledgeFile',
  ],
  'conversation.view': ['listConversations', 'getConversation', 'listMessages', 'followConversationAsAgent'],
  'conversation.reply': [
    'claimConversation',
    'replyToConversation',
    'noteOnConversation',
    'handBackConversation',
    'closeConversation',
  ],
  'integration.view': ['listActions', 'getAction', 'listActionRuns', 'getActionRun'],
  'integration.manage': [
    'createAction',
    'updateAction',
    'deleteAction',
    'tryAction',
    'reconcileActionRun',
    'resolveActionRun',
  ],
  'api_key.view': ['listApiKeys', 'getApiKey'],
  'api_key.manage': ['createApiKey', 'updateApiKey', 'rotateApiKey', 'revokeApiKey', 'revealApiKey'],
  'analytics.view': ['getUsage', 'getInsights', 'listUnansweredQuestions'],
  'audit.view': ['listAuditEntries'],
};

/** What each route of operators needs, but for those about oneself. */
export const operatorRoutesByPermission: Record<string, readonly string[]> = {
  any: ['getOperator'],
  'platform.tenant.view': [
    'listTenants',
    'inspectTenant',
    'inspectEntitlements',
    'inspectUsage',
    'inspectMembers',
    'listTenantChanges',
    'previewSuspension',
    'getTenantHealth',
    'listTenantErrors',
    'listUnwellEndpoints',
    'listStuckDeliveries',
    'inspectEndpoint',
    'inspectDeliveries',
    'inspectDelivery',
    'inspectReplay',
    'listUnknownRuns',
    'inspectActionRun',
  ],
  'platform.tenant.manage': [
    'createTenant',
    'inviteOwner',
    'changeEntitlements',
    'suspendTenant',
    'resumeTenant',
    'deleteTenantAsOperator',
    'restoreTenant',
    'replayDeliveryForTenant',
    'startReplayForTenant',
    'reconcileForTenant',
    'resolveForTenant',
  ],
  'platform.user.view': ['listUsers', 'getUser', 'listImpersonations'],
  'platform.user.manage': [
    'createOperator',
    'changeOperator',
    'resendWelcome',
    'disableUser',
    'enableUser',
    'endUserSessions',
  ],
  'platform.impersonate.request': ['impersonate', 'offerHandover', 'endImpersonation'],
  'platform.audit.view': [
    'inspectAuditLog',
    'listTenantAuditEntries',
    'exportTenantAuditLog',
    'listPoolAuditEntries',
    'exportPoolAuditLog',
    'listErasures',
    'getErasure',
  ],
  'platform.system.view': [
    'getSystem',
    'getPressure',
    'listInvocations',
    'getInvocation',
    'listJobs',
    'listAnnouncements',
    'getKeys',
    'listKeyRotations',
    'getKeyRotation',
  ],
  'platform.system.manage': [
    'resumeInvocation',
    'cancelInvocation',
    'killInvocation',
    'retryJob',
    'createAnnouncement',
    'changeAnnouncement',
    'endAnnouncement',
    'removeAnnouncement',
    'turnSigningKey',
    'beginKeyRotation',
    'cancelKeyRotation',
  ],
};

/** By its route, from the two tables above; nothing for a route about oneself. */
export const neededBy = new Map(
  [routesByPermission, operatorRoutesByPermission]
    .flatMap((table) => Object.entries(table))
    .flatMap(([permission, routes]) => routes.map((route) => [route, permission] as const)),
);
