import type { Operations } from './generated/operations.ts';
import type { OpenAuthenticatedSessionData, OpenAuthenticatedSessionResponse } from './generated/types.ts';
import type { CallOptions } from './options.ts';

type Body = OpenAuthenticatedSessionData['body'];
type Place = Pick<Body, 'tenantId' | 'workspaceId' | 'environmentId'>;
export type WidgetSessionInput = Omit<Body, keyof Place> & Partial<Place>;
export type WidgetSession = OpenAuthenticatedSessionResponse;

type Needed = Pick<Operations, 'getMe' | 'getBot' | 'listEnvironments' | 'openAuthenticatedSession'>;

/** Where a bot lives is asked once: it does not move. */
export function widgetSessions(api: Needed) {
  const places = new Map<string, Promise<Partial<Place>>>();

  const placeOf = (botId: string): Promise<Partial<Place>> => {
    const known = places.get(botId) ?? lookUp(api, botId);
    places.set(botId, known);
    known.catch(() => places.delete(botId));
    return known;
  };

  return async (input: WidgetSessionInput, call: CallOptions = {}): Promise<WidgetSession> => {
    const isNamed = input.tenantId && input.workspaceId && input.environmentId;
    const found = isNamed ? {} : await placeOf(input.botId);
    const { tenantId = found.tenantId, workspaceId = found.workspaceId, environmentId = found.environmentId } = input;
    if (!tenantId || !workspaceId || !environmentId)
      throw new TypeError('createWidgetSession: there is no environment called live, so pass environmentId');
    return api.openAuthenticatedSession({ ...call, body: { ...input, tenantId, workspaceId, environmentId } });
  };
}

async function lookUp(api: Needed, botId: string): Promise<Partial<Place>> {
  const [{ tenantId }, { bot }] = await Promise.all([api.getMe(), api.getBot({ path: { id: botId } })]);
  const { workspaceId } = bot;
  const { data } = await api.listEnvironments({ query: { workspaceId, limit: 100 } });
  const environment = data.find(({ name }) => name === 'live') ?? (data.length === 1 ? data[0] : undefined);
  return { tenantId, workspaceId, ...(environment && { environmentId: environment.id }) };
}
