import type { GetToken } from '../shared/shell.ts';
import { request } from './request.ts';
import type { ChatStorage } from './storage.ts';

export interface Session {
  token: string;
  /** Contact id for an identified user, which is the same on every device; otherwise the visitor id. */
  userId: string;
  endsAt: number;
}
export interface ConversationSummary {
  id: string;
  lastSeq: number;
  state?: string;
}

interface SessionDeps {
  apiUrl: string;
  botId: string;
  publicKey: string;
  chatStorage: ChatStorage;
  getToken: GetToken | undefined;
  /** The page now provides tokens for another user. */
  onUserChange(): void;
  /** Called with the conversation to continue when a session was opened. */
  onConversation(conversation: ConversationSummary | null): void;
}

const visitor = 'visitor';
const claimsOf = (token: string) =>
  JSON.parse(atob((token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/'))) as Record<string, unknown>;

/** One session at a time, opened on first use and refreshed before it expires. Never stored. */
export function createSession({
  apiUrl,
  botId,
  publicKey,
  chatStorage,
  getToken,
  onUserChange,
  onConversation,
}: SessionDeps) {
  let session: Session | undefined;
  /** The user whose conversation was already requested. */
  let resumedFor: string | undefined;
  let isEnded = false;
  let opening: Promise<Session> | undefined;

  const parseToken = (token: string): Session => {
    if (isEnded) throw new Error('session ended'); // and nothing of it is stored
    const { vis, con, iat, exp } = claimsOf(token) as {
      vis: string;
      con?: string;
      iat: number;
      exp: number;
    };
    // Relative to the device's clock, which may be wrong.
    return { token, userId: con ?? vis, endsAt: Date.now() + (exp - iat) * 1_000 };
  };
  const post = async <T>(path: string, body: object): Promise<T> =>
    (await request(`${apiUrl}/widget/sessions/${path}`, { method: 'POST', body })).json();

  async function openAnonymous(): Promise<Session> {
    const visitorToken = chatStorage.get(visitor);
    const opened = await post<{
      sessionToken: string;
      visitorToken: string;
      conversation: ConversationSummary | null;
    }>('anonymous', {
      publicKey,
      botId,
      visitorId: 'web',
      ...(visitorToken && { visitorToken }),
    });
    const parsed = parseToken(opened.sessionToken);
    chatStorage.set(visitor, opened.visitorToken);
    onConversation(opened.conversation);
    return parsed;
  }
  async function openIdentified(): Promise<Session> {
    const provided = await getToken!();
    const parsed = parseToken(typeof provided === 'string' ? provided : provided.sessionToken);
    if (resumedFor === parsed.userId) return parsed;
    if (resumedFor) onUserChange();
    // What this browser wrote before becomes the user's.
    const response = await request(`${apiUrl}/widget/conversation`, {
      method: 'POST',
      body: { visitorToken: chatStorage.get(visitor) },
      token: parsed.token,
    });
    resumedFor = parsed.userId;
    onConversation(((await response.json()) as { conversation: ConversationSummary | null }).conversation);
    return parsed;
  }
  async function renew(): Promise<Session> {
    if (getToken) return openIdentified();
    if (session) {
      const renewed = await post<{ sessionToken: string }>('refresh', {
        sessionToken: session.token,
      }).catch(() => null);
      if (renewed) return parseToken(renewed.sessionToken);
    }
    if (!navigator.locks || !chatStorage.isPersistent()) return openAnonymous();
    // Two new tabs must become one visitor: the second waits for the first and uses its token. Storage is visible to other
    // tabs with a delay, so the lock is released with a delay too.
    return new Promise((resolve, reject) => {
      navigator.locks
        .request(`cb:${botId}:opening`, { signal: AbortSignal.timeout(9_000) }, async () => {
          await openAnonymous().then(resolve, reject);
          await new Promise((resolveLater) => setTimeout(resolveLater, 200));
        })
        .catch(reject);
    });
  }

  return {
    get(): Promise<Session> {
      if (session && session.endsAt - Date.now() > 60_000) return Promise.resolve(session);
      return (opening ??= renew()
        .then((opened) => (session = opened))
        .finally(() => (opening = undefined)));
    },
    end: () => (isEnded = true),
    /** It was rejected. */
    drop: () => (session = undefined),
    /** The page provides the tokens. */
    isIdentified: Boolean(getToken),
    isOpen: () => session !== undefined,
    /** There is a user or stored visitor to continue as. */
    canResume: () => Boolean(getToken ?? chatStorage.get(visitor)),
  };
}
export type SessionSource = ReturnType<typeof createSession>;
