import type { GetToken } from '../shared/shell.ts';
import type { LogEvent, Message, Setup, TalkState, Words } from '../shared/wire.ts';
import { createActs } from './acts.ts';
import { ask, type Refusal } from './ask.ts';
import { createBell } from './bell.ts';
import type { Keep } from './keep.ts';
import { listen } from './listening.ts';
import { createOutbox } from './outbox.ts';
import { sendAll } from './sending.ts';
import { createSession, type Talking } from './session.ts';
import type { Shared, Streams, Trouble } from './shared.ts';
import { createTabs } from './tabs.ts';
import { applyEntry, applyWords, newTalk } from './talk.ts';

interface Parts {
  setup: Setup;
  publicKey: string;
  keep: Keep;
  getToken: GetToken | undefined;
  language: () => string;
  pageUrl: () => string;
  /** Something to show has changed. */
  onChange(): void;
  /** Something new in the log, as it happens. */
  onNews(event: LogEvent): void;
  /** A message was refused for good. */
  onFailed(message: string): void;
  /** Another tab erased or left everything. */
  onReset(): void;
}

/** How much of a long conversation is brought back; older messages come when they are asked for. */
const recent = 150;
const restAfterMs = 60_000;

/** Everything of the chat but its looks: one conversation, with what is sent to it and what comes of it. */
export function createChatClient({
  setup,
  publicKey,
  keep,
  getToken,
  language,
  pageUrl,
  onChange,
  onNews,
  onFailed,
  onReset,
}: Parts) {
  const { apiUrl, botId } = setup;
  const bell = createBell();
  let talk = newTalk();
  /** Said before, in a conversation that is over. */
  let past: Message[] = [];
  let trouble: Trouble;
  let hasOlder = false;
  /** What was in the log when we came is no news. */
  let toldBefore = 0;
  let who: string | undefined = getToken ? undefined : '';
  const streams: Streams = { isResting: false, asking: undefined, following: undefined };
  let restTimer: number | undefined;

  const outbox = createOutbox(keep, () => who);
  const session = createSession({
    apiUrl,
    botId,
    publicKey,
    keep,
    getToken,
    onSomebodyElse: clear,
    onFound: found,
  });
  // Where nothing is stored, tabs know nothing of one another, and each is a visitor of its own.
  const isAlone = !keep.isLasting();
  const join = () => createTabs({ name: `cb:${botId}${isAlone ? Math.random() : ''}`, lead, hear });
  let tabs = join();
  const tell = (news: object) => tabs.tell({ ...news, who });
  const change = (said?: Trouble) => {
    trouble = said;
    onChange();
  };

  const open = async () => {
    const opened = await session.get();
    const isNews = getToken && who !== opened.who;
    if (isNews) who = opened.who;
    if (isNews) outbox.look();
    return opened;
  };
  const call = async (path: string, more: Omit<Parameters<typeof ask>[1], 'token'> = {}): Promise<Response> => {
    for (let isFirst = true; ; isFirst = false) {
      const { token } = await open();
      try {
        return await ask(`${apiUrl}/widget/${path}`, { ...more, token });
      } catch (error) {
        if (!isFirst || (error as Refusal).status !== 401) throw error;
        session.drop();
      }
    }
  };
  /** What a new session goes on with. Another conversation than the one shown is begun below it. */
  function found(talking: Talking | null) {
    if (!talking || talking.id === talk.id) return;
    begin(talking.id, Math.max(0, talking.lastSeq - recent));
    toldBefore = talking.lastSeq;
    if (talking.state) talk.state = talking.state as TalkState;
  }
  function clear() {
    past = [];
    talk = newTalk();
    who = undefined;
    outbox.clear();
    onChange();
  }
  function begin(id: string, cursor: number) {
    past = [...past, ...talk.messages];
    talk = newTalk(id, cursor);
    toldBefore = 0;
    hasOlder = cursor > 0;
    streams.following?.abort();
    bell.ring();
  }

  /** From the log, from whichever stream or tab it came. */
  function take(event: LogEvent): boolean {
    const isWords = event.type === 'reply.delta';
    const isNew = isWords ? applyWords(talk, event.data as unknown as Words) : applyEntry(talk, event);
    if (!isNew) return isWords || event.seq <= talk.cursor;
    const { clientMessageId } = (event.data['message'] ?? {}) as Partial<Message>;
    if (clientMessageId) outbox.drop(clientMessageId);
    if (!isWords && event.seq > toldBefore) onNews(event);
    change();
    return true;
  }
  function claimAndPublish(event: LogEvent): boolean {
    tell({ conversationId: talk.id, event });
    return take(event);
  }
  function hear(news: unknown) {
    const heard = news as {
      who?: string;
      conversationId?: string;
      event?: LogEvent;
      isReset?: boolean;
    };
    const { conversationId, event } = heard;
    if (who === undefined || heard.who !== who) return; // of somebody else in the same browser
    if (heard.isReset) return onReset();
    tabs.wait(); // for when the tab that we hear is closed
    if (event && conversationId !== talk.id && event.seq === 1) begin(conversationId!, 0);
    if (event && conversationId === talk.id) take(event);
  }
  /** Another tab stored something: a message to be sent, or how far it was read. */
  function onStorage() {
    outbox.look();
    bell.ring();
    onChange();
  }

  function lead(signal: AbortSignal) {
    signal.addEventListener('abort', () => {
      streams.following?.abort();
      streams.asking?.();
      bell.ring();
    });
    const shared: Shared = {
      apiUrl,
      botId,
      bell,
      outbox,
      session,
      streams,
      open,
      call,
      begin,
      change,
      talk: () => talk,
      take: claimAndPublish,
      leave: () => (talk = newTalk()),
      isTroubled: () => trouble !== undefined,
      onFailed,
      context: () => ({ pageUrl: pageUrl(), language: language() }),
    };
    void sendAll(shared, signal);
    void listen(shared, signal);
  }

  const life = new AbortController();
  const { signal } = life;
  const onVisible = () => {
    clearTimeout(restTimer);
    if (document.hidden) {
      restTimer = setTimeout(() => {
        streams.isResting = true;
        streams.following?.abort();
      }, restAfterMs);
    } else {
      streams.isResting = false;
      if (session.isKnown()) tabs.take();
      bell.ring();
    }
  };
  document.addEventListener('visibilitychange', onVisible, { signal });
  addEventListener('online', bell.ring, { signal });
  addEventListener('storage', onStorage, { signal });
  const begins = () => {
    outbox.look();
    if (!session.isKnown()) return;
    if (document.hidden) tabs.wait();
    else tabs.take();
  };
  // A page that is left may be kept by the browser for the way back, but only if it holds nothing.
  const onHide = () => tabs.leave();
  const onShow = ({ persisted }: PageTransitionEvent) => {
    if (!persisted) return;
    tabs = join();
    begins();
  };
  addEventListener('pagehide', onHide, { signal });
  addEventListener('pageshow', onShow, { signal });
  begins();

  return {
    talk: () => talk,
    messages: () => [...past, ...talk.messages],
    outgoing: outbox.all,
    trouble: () => trouble,
    hasOlder: () => hasOlder,
    isKnown: session.isKnown,
    /** The tab is being used: whatever is to be done is done from here. */
    wake: () => {
      if (session.isKnown()) tabs.take();
      bell.ring();
    },
    send(text: string) {
      outbox.add(text);
      tabs.take();
      bell.ring();
      change(trouble);
    },
    retry(id: string) {
      outbox.retry(id);
      tabs.take();
      bell.ring();
      change();
    },
    drop(id: string) {
      outbox.drop(id);
      change(trouble);
    },
    ...createActs(call, () => talk.id),
    async older() {
      const first = talk.messages[0]?.seq ?? talk.cursor;
      const response = await call(`conversations/${talk.id}/messages?before=${first}`);
      const { data, before } = (await response.json()) as { data: Message[]; before: number | null };
      talk.messages.unshift(...data.toReversed());
      hasOlder = before !== null;
      onChange();
    },
    async erase(): Promise<string> {
      const response = await call('me', { method: 'DELETE' });
      tell({ isReset: true });
      return ((await response.json()) as { receiptId: string }).receiptId;
    },
    notifyReset: () => tell({ isReset: true }),
    end() {
      life.abort();
      clearTimeout(restTimer);
      session.end();
      tabs.leave();
    },
  };
}
export type ChatClient = ReturnType<typeof createChatClient>;
