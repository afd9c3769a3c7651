import type { Operations } from './generated/operations.ts';
import type { OpenAuthenticatedSessionData, OpenAuthenticatedSessionResponse } from './generated/types.ts';
import type { CallOptions } from './options.ts';

type Body = OpenAuthenticatedSessionData['body'];
type SessionScope = Pick<Body, 'tenantId' | 'workspaceId' | 'environmentId'>;
export type WidgetSessionInput = Omit<Body, keyof SessionScope> & Partial<SessionScope>;
export type WidgetSession = OpenAuthenticatedSessionResponse;

type SessionApi = Pick<Operations, 'getMe' | 'getBot' | 'listEnvironments' | 'openAuthenticatedSession'>;

/** The workspace and environment of a bot don't change, so they are resolved once. */
export function widgetSessions(api: SessionApi) {
  const scopes = new Map<string, Promise<Partial<SessionScope>>>();

  const scopeOf = (botId: string): Promise<Partial<SessionScope>> => {
    const scope = scopes.get(botId) ?? resolveScope(api, botId);
    scopes.set(botId, scope);
    scope.catch(() => scopes.delete(botId));
    return scope;
  };

  return async (input: WidgetSessionInput, call: CallOptions = {}): Promise<WidgetSession> => {
    const isComplete = input.tenantId && input.workspaceId && input.environmentId;
    const found = isComplete ? {} : await scopeOf(input.botId);
    const { tenantId = found.tenantId, workspaceId = found.workspaceId, environmentId = found.environmentId } = input;
    if (!tenantId || !workspaceId || !environmentId)
      throw new TypeError('createWidgetSession: there is no environment called live, so pass environmentId');
    return api.openAuthenticatedSession({ ...call, body: { ...input, tenantId, workspaceId, environmentId } });
  };
}

async function resolveScope(api: SessionApi, botId: string): Promise<Partial<SessionScope>> {
  const [{ tenantId }, { bot }] = await Promise.all([api.getMe(), api.getBot({ path: { id: botId } })]);
  const { workspaceId } = bot;
  const { data } = await api.listEnvironments({ query: { workspaceId, limit: 100 } });
  const environment = data.find(({ name }) => name === 'live') ?? (data.length === 1 ? data[0] : undefined);
  return { tenantId, workspaceId, ...(environment && { environmentId: environment.id }) };
}
