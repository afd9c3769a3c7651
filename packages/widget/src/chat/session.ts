import type { GetToken } from '../shared/shell.ts';
import { ask } from './ask.ts';
import type { Keep } from './keep.ts';

export interface Session {
  token: string;
  /** Whose it is. Somebody of the tenant's keeps it wherever they are; everybody else has it from their visitor token. */
  who: string;
  endsAt: number;
}
export interface Talking {
  id: string;
  lastSeq: number;
  state?: string;
}

interface Parts {
  apiUrl: string;
  botId: string;
  publicKey: string;
  keep: Keep;
  getToken: GetToken | undefined;
  /** The tenant's page now speaks for another user than before. */
  onSomebodyElse(): void;
  /** What can be gone on with, told when a session was opened. */
  onFound(talking: Talking | null): void;
}

const visitor = 'visitor';
const claimsOf = (token: string) =>
  JSON.parse(atob((token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/'))) as Record<string, unknown>;

/** One session at a time, opened when it is first needed and renewed before it ends. It is never stored. */
export function createSession({ apiUrl, botId, publicKey, keep, getToken, onSomebodyElse, onFound }: Parts) {
  let session: Session | undefined;
  /** Whose conversation was looked for. */
  let greeted: string | undefined;
  let isOver = false;
  let opening: Promise<Session> | undefined;

  const take = (token: string): Session => {
    if (isOver) throw new Error('session ended'); // and nothing of it is kept
    const { vis, con, iat, exp } = claimsOf(token) as {
      vis: string;
      con?: string;
      iat: number;
      exp: number;
    };
    // Counted from now by our own clock: many a phone's is wrong.
    return { token, who: con ?? vis, endsAt: Date.now() + (exp - iat) * 1_000 };
  };
  const post = async <T>(path: string, body: object): Promise<T> =>
    (await ask(`${apiUrl}/widget/sessions/${path}`, { method: 'POST', body })).json();

  async function openAnonymous(): Promise<Session> {
    const visitorToken = keep.get(visitor);
    const opened = await post<{
      sessionToken: string;
      visitorToken: string;
      conversation: Talking | null;
    }>('anonymous', {
      publicKey,
      botId,
      visitorId: 'web',
      ...(visitorToken && { visitorToken }),
    });
    const taken = take(opened.sessionToken);
    keep.set(visitor, opened.visitorToken);
    onFound(opened.conversation);
    return taken;
  }
  async function openIdentified(): Promise<Session> {
    const given = await getToken!();
    const taken = take(typeof given === 'string' ? given : given.sessionToken);
    if (greeted === taken.who) return taken;
    if (greeted) onSomebodyElse();
    const response = await ask(`${apiUrl}/widget/conversation`, { token: taken.token });
    greeted = taken.who;
    onFound(((await response.json()) as { conversation: Talking | null }).conversation);
    return taken;
  }
  async function renew(): Promise<Session> {
    if (getToken) return openIdentified();
    if (session) {
      const renewed = await post<{ sessionToken: string }>('refresh', {
        sessionToken: session.token,
      }).catch(() => null);
      if (renewed) return take(renewed.sessionToken);
    }
    if (!navigator.locks || !keep.isLasting()) return openAnonymous();
    // Two tabs that both are new here must become one visitor: the second waits for the first, and finds its token. What one
    // tab stores another sees a moment later, so the first lets go a moment later too.
    return new Promise((resolve, reject) => {
      navigator.locks
        .request(`cb:${botId}:opening`, { signal: AbortSignal.timeout(9_000) }, async () => {
          await openAnonymous().then(resolve, reject);
          await new Promise((seen) => setTimeout(seen, 200));
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
    end: () => (isOver = true),
    /** It was refused. */
    drop: () => (session = undefined),
    /** By the tenant's page, which gives the tokens. */
    isNamed: Boolean(getToken),
    isOpen: () => session !== undefined,
    /** There is somebody to go on as. */
    isKnown: () => Boolean(getToken ?? keep.get(visitor)),
  };
}
export type SessionSource = ReturnType<typeof createSession>;
