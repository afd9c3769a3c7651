import type { GetToken } from '../shared/shell.ts';
import type { LogEvent, Message, Setup, ConversationStatus, ReplyDelta } from '../shared/wire.ts';
import { createActions } from './actions.ts';
import { request, type RequestError } from './request.ts';
import { createWakeup } from './wakeup.ts';
import type { ChatStorage } from './storage.ts';
import { listen } from './listen.ts';
import { createOutbox } from './outbox.ts';
import { runOutbox } from './outbox-sender.ts';
import { createSession, type ConversationSummary } from './session.ts';
import type { LeaderContext, Streams, ConnectionProblem } from './leader-context.ts';
import { createTabs } from './tabs.ts';
import { applyEntry, applyDelta, newConversation } from './conversation.ts';

interface ClientDeps {
  setup: Setup;
  publicKey: string;
  chatStorage: ChatStorage;
  getToken: GetToken | undefined;
  language: () => string;
  pageUrl: () => string;
  /** The displayed state has changed. */
  onChange(): void;
  /** A new log event, live. */
  onEvent(event: LogEvent): void;
  /** A message was permanently rejected. */
  onFailed(message: string): void;
  /** Another tab erased or reset the chat. */
  onReset(): void;
  /** The page now provides tokens for another user. */
  onUserChange(): void;
}

/** Log entries restored of a long conversation; older messages are loaded on request. */
const historySize = 150;
const pauseAfterMs = 60_000;
/** How long an agent is shown as typing, and how often we say so of the visitor. */
const typingMs = 6_000;
const typingEveryMs = 4_000;

/** The chat without its user interface: one conversation, its outbox and its event stream. */
export function createChatClient({
  setup,
  publicKey,
  chatStorage,
  getToken,
  language,
  pageUrl,
  onChange,
  onEvent,
  onFailed,
  onReset,
  onUserChange,
}: ClientDeps) {
  const { apiUrl, botId } = setup;
  const wakeup = createWakeup();
  let conversation = newConversation();
  /** Messages of earlier, closed conversations. */
  let pastMessages: Message[] = [];
  let trouble: ConnectionProblem;
  let hasOlder = false;
  /** Entries up to this position were in the log when it was opened, and are not emitted. */
  let announcedUpTo = 0;
  let userId: string | undefined = getToken ? undefined : '';
  const streams: Streams = { isPaused: false, stopReply: undefined, follower: undefined };
  let pauseTimer: number | undefined;
  /** The name of the agent who is writing. */
  let typing: string | undefined;
  let typingTimer: number | undefined;
  let typingSentAt = 0;
  /** What the visitor entered before the first message. */
  let about: object | undefined;

  const outbox = createOutbox(chatStorage, () => userId);
  const session = createSession({
    apiUrl,
    botId,
    publicKey,
    chatStorage,
    getToken,
    onUserChange: clear,
    onConversation,
  });
  // Without storage, tabs are independent and each is its own visitor.
  const isAlone = !chatStorage.isPersistent();
  const join = () => createTabs({ name: `cb:${botId}${isAlone ? Math.random() : ''}`, lead, onTabMessage });
  let tabs = join();
  const postToTabs = (message: object) => tabs.postToTabs({ ...message, who: userId });
  const change = (nextTrouble?: ConnectionProblem) => {
    trouble = nextTrouble;
    onChange();
  };

  const open = async () => {
    const opened = await session.get();
    const hasChanged = getToken && userId !== opened.userId;
    if (hasChanged) userId = opened.userId;
    if (hasChanged) outbox.syncTabs();
    return opened;
  };
  const call = async (path: string, more: Omit<Parameters<typeof request>[1], 'token'> = {}): Promise<Response> => {
    for (let isFirst = true; ; isFirst = false) {
      const { token } = await open();
      try {
        return await request(`${apiUrl}/widget/${path}`, { ...more, token });
      } catch (error) {
        if (!isFirst || (error as RequestError).status !== 401) throw error;
        session.drop();
      }
    }
  };
  const actions = createActions(call, () => conversation.id);
  /** Continues the session's conversation. If it is a different one, it is shown below the current one. */
  function onConversation(summary: ConversationSummary | null) {
    if (!summary || summary.id === conversation.id) return;
    startConversation(summary.id, Math.max(0, summary.lastSeq - historySize));
    announcedUpTo = summary.lastSeq;
    if (summary.state) conversation.state = summary.state as ConversationStatus;
  }
  function clear() {
    pastMessages = [];
    conversation = newConversation();
    userId = undefined;
    outbox.clear();
    onUserChange();
  }
  function startConversation(id: string, cursor: number) {
    pastMessages = [...pastMessages, ...conversation.messages];
    conversation = newConversation(id, cursor);
    announcedUpTo = 0;
    hasOlder = cursor > 0;
    streams.follower?.abort();
    wakeup.wakeAll();
  }

  const setTyping = (name?: string) => {
    clearTimeout(typingTimer);
    typing = name;
    if (name !== undefined) typingTimer = setTimeout(() => (setTyping(), onChange()), typingMs);
  };
  /** Events that are not entries of the log: an agent writes, or has read the messages. */
  function applySignal({ type, data }: LogEvent): boolean {
    if (type !== 'typing' && type !== 'read') return false;
    if (data['role'] === 'agent') {
      if (type === 'typing') setTyping((data['name'] as string | null) || ' ');
      else conversation.readSeq = Math.max(conversation.readSeq, data['seq'] as number);
      onChange();
    }
    return true;
  }

  /** Applies a log event from any stream or tab. */
  function applyEvent(event: LogEvent): boolean {
    if (applySignal(event)) return true;
    const isDelta = event.type === 'reply.delta';
    const isNew = isDelta
      ? applyDelta(conversation, event.data as unknown as ReplyDelta)
      : applyEntry(conversation, event);
    if (!isNew) return isDelta || event.seq <= conversation.cursor;
    const { clientMessageId, role } = (event.data['message'] ?? {}) as Partial<Message>;
    if (clientMessageId) outbox.drop(clientMessageId);
    if (role === 'agent') setTyping();
    if (!isDelta && event.seq > announcedUpTo) onEvent(event);
    change();
    return true;
  }
  function publishEvent(event: LogEvent): boolean {
    postToTabs({ conversationId: conversation.id, event });
    return applyEvent(event);
  }
  function onTabMessage(data: unknown) {
    const message = data as {
      who?: string;
      conversationId?: string;
      event?: LogEvent;
      isReset?: boolean;
    };
    const { conversationId, event } = message;
    if (userId === undefined || message.who !== userId) return; // another user in the same browser
    if (message.isReset) return onReset();
    tabs.wait(); // queue for the lead, for when the leading tab is closed
    if (event && conversationId !== conversation.id && event.seq === 1) startConversation(conversationId!, 0);
    if (event && conversationId === conversation.id) applyEvent(event);
  }
  /** Another tab stored a message to send or a read position. */
  function onStorage() {
    outbox.syncTabs();
    wakeup.wakeAll();
    onChange();
  }

  function lead(signal: AbortSignal) {
    signal.addEventListener('abort', () => {
      streams.follower?.abort();
      streams.stopReply?.();
      wakeup.wakeAll();
    });
    const leader: LeaderContext = {
      apiUrl,
      botId,
      wakeup,
      outbox,
      session,
      streams,
      open,
      call,
      startConversation,
      change,
      currentConversation: () => conversation,
      applyEvent: publishEvent,
      leave: () => (conversation = newConversation()),
      hasTrouble: () => trouble !== undefined,
      onFailed,
      context: () => ({
        pageUrl: pageUrl(),
        language: language(),
        ...(JSON.parse(chatStorage.get('about') ?? '{}') as object),
      }),
    };
    void runOutbox(leader, signal);
    void listen(leader, signal);
  }

  const lifetime = new AbortController();
  const { signal } = lifetime;
  const onVisible = () => {
    clearTimeout(pauseTimer);
    if (document.hidden) {
      pauseTimer = setTimeout(() => {
        streams.isPaused = true;
        streams.follower?.abort();
      }, pauseAfterMs);
    } else {
      streams.isPaused = false;
      if (session.canResume()) tabs.takeLead();
      wakeup.wakeAll();
    }
  };
  document.addEventListener('visibilitychange', onVisible, { signal });
  addEventListener('online', wakeup.wakeAll, { signal });
  addEventListener('storage', onStorage, { signal });
  const resume = () => {
    outbox.syncTabs();
    if (!session.canResume()) return;
    if (document.hidden) tabs.wait();
    else tabs.takeLead();
  };
  // Locks and channels would keep the page out of the back/forward cache.
  const onHide = () => tabs.leave();
  const onShow = ({ persisted }: PageTransitionEvent) => {
    if (!persisted) return;
    tabs = join();
    resume();
  };
  addEventListener('pagehide', onHide, { signal });
  addEventListener('pageshow', onShow, { signal });
  resume();

  return {
    currentConversation: () => conversation,
    messages: () => [...pastMessages, ...conversation.messages],
    outgoing: outbox.all,
    problem: () => trouble,
    hasOlder: () => hasOlder,
    canResume: session.canResume,
    /** Called when the tab is used: it takes the lead. */
    wake: () => {
      if (session.canResume()) tabs.takeLead();
      wakeup.wakeAll();
    },
    /** For this long, or until the browser is online again or the tab is used. */
    wait: wakeup.wait,
    typingAgent: () => typing,
    /** Is called while the visitor writes. */
    writes() {
      if (conversation.state !== 'human' || Date.now() - typingSentAt < typingEveryMs) return;
      typingSentAt = Date.now();
      actions.notifyTyping();
    },
    /** The visitor is unknown: an identified user, or one who has written before, is not asked again. */
    isUnknown: () => !getToken && !about && !chatStorage.get('about') && !session.canResume(),
    setAbout(values: object) {
      about = values;
      onChange();
    },
    isResumed: session.isOpen,
    send(text: string) {
      if (about) chatStorage.set('about', JSON.stringify(about)); // nothing is stored before the first message
      outbox.add(text);
      tabs.takeLead();
      wakeup.wakeAll();
      change(trouble);
    },
    retry(id: string) {
      outbox.retry(id);
      tabs.takeLead();
      wakeup.wakeAll();
      change();
    },
    drop(id: string) {
      outbox.drop(id);
      change(trouble);
    },
    ...actions,
    call,
    async older() {
      const first = conversation.messages[0]?.seq ?? conversation.cursor;
      const response = await call(`conversations/${conversation.id}/messages?before=${first}`);
      const { data, before } = (await response.json()) as { data: Message[]; before: number | null };
      conversation.messages.unshift(...data.toReversed());
      hasOlder = before !== null;
      onChange();
    },
    notifyReset: () => postToTabs({ isReset: true }),
    end() {
      lifetime.abort();
      clearTimeout(pauseTimer);
      clearTimeout(typingTimer);
      session.end();
      tabs.leave();
    },
  };
}
export type ChatClient = ReturnType<typeof createChatClient>;
