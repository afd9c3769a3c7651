import type { FastifyReply } from 'fastify';

/** One server-sent event. */
export interface ServerSentEvent {
  id?: number;
  event: string;
  data: unknown;
}

/** Sends the events of one response. */
export interface Sink {
  send(event: ServerSentEvent): void;
  end(): void;
  isOpen(): boolean;
  /** Resolves when most of the buffer has been written. For senders of many events. */
  drained(): Promise<void>;
  /** Called once when the stream ends, for any reason. */
  onEnd(listener: () => void): void;
}

const openStream = Symbol('openStream');

/** Returned by a handler instead of a value. */
export interface StreamedResponse {
  [openStream]: (sink: Sink) => Promise<void>;
}
export const streamResponse = (open: (sink: Sink) => Promise<void>): StreamedResponse => ({ [openStream]: open });
export const isStreamedResponse = (value: unknown): value is StreamedResponse =>
  typeof value === 'object' && value !== null && openStream in value;

/** A slower client is disconnected; it reconnects and resumes. */
const maxBufferedBytes = 1024 * 1024;
/** A client that reads nothing for this long is disconnected. */
const drainTimeoutMs = 5_000;
/** Proxies may close connections that are idle for longer. */
const heartbeatMs = 15_000;

/** All open streams of a process, with one heartbeat timer and one way to end them at shutdown. */
export function createStreams() {
  const open = new Set<{ kind: string; sendHeartbeat(): void; end(): void }>();
  const heartbeat = setInterval(() => open.forEach((one) => one.sendHeartbeat()), heartbeatMs);
  heartbeat.unref();
  let isClosed = false;

  return {
    /** Takes over the response from Fastify and writes events as they arrive. */
    start(kind: string, reply: FastifyReply, response: StreamedResponse, onError: (error: unknown) => void): void {
      reply.hijack();
      const { raw } = reply;
      const endListeners = new Set<() => void>();
      let isOpen = true;
      const close = () => {
        if (!isOpen) return;
        isOpen = false;
        open.delete(connection);
        for (const listener of endListeners) listener();
      };
      const write = (text: string) => {
        if (!isOpen) return;
        raw.write(text);
        if (raw.writableLength > maxBufferedBytes) raw.destroy();
      };
      const connection = { kind, sendHeartbeat: () => write(':\n\n'), end: () => (close(), void raw.end()) };
      raw.once('close', close);
      if (raw.destroyed) isOpen = false; // the client has left while the request was handled: there is no `close` any more
      raw.writeHead(reply.statusCode, {
        ...(reply.getHeaders() as Record<string, string>),
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
        ...(isClosed && { connection: 'close' }),
      });
      // A client may ask again on the connection of the stream that shutdown ended. It has to reconnect to another process.
      if (isClosed) return connection.end();
      connection.sendHeartbeat(); // immediately, so that clients can tell a buffering proxy from an idle conversation
      if (isOpen) open.add(connection);
      response[openStream]({
        send: ({ id, event, data }) =>
          write(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
        end: connection.end,
        isOpen: () => isOpen,
        drained: async () => {
          if (raw.writableLength < maxBufferedBytes / 4) return;
          const timer = setTimeout(() => raw.destroy(), drainTimeoutMs);
          let resume = () => {};
          await new Promise<void>((resolve) => {
            resume = resolve;
            raw.once('drain', resume);
            endListeners.add(resume);
          });
          raw.off('drain', resume);
          endListeners.delete(resume);
          clearTimeout(timer);
        },
        onEnd: (listener) => void (isOpen ? endListeners.add(listener) : listener()),
      }).catch((error: unknown) => {
        onError(error);
        connection.end(); // the client reconnects and resumes
      });
    },
    /** How many are open, by kind. */
    count: (): Record<string, number> => {
      const counts: Record<string, number> = {};
      for (const { kind } of open) counts[kind] = (counts[kind] ?? 0) + 1;
      return counts;
    },
    close: () => {
      isClosed = true;
      clearInterval(heartbeat);
      for (const one of open) one.end();
    },
  };
}
export type Streams = ReturnType<typeof createStreams>;
