import type { FastifyReply } from 'fastify';

/** One server-sent event. */
export interface ServerSentEvent {
  id?: number;
  event: string;
  data: unknown;
}

/** Where the events of one answer go. */
export interface Sink {
  send(event: ServerSentEvent): void;
  end(): void;
  isOpen(): boolean;
  /** Until most of what was sent has gone out. For whoever has much to send. */
  drained(): Promise<void>;
  /** Called once, whoever ended it. */
  onEnd(listener: () => void): void;
}

const openStream = Symbol('opens');

/** An answer that goes on: what a handler returns instead of a value. */
export interface StreamedResponse {
  [openStream]: (sink: Sink) => Promise<void>;
}
export const streamResponse = (open: (sink: Sink) => Promise<void>): StreamedResponse => ({ [openStream]: open });
export const isStreamedResponse = (value: unknown): value is StreamedResponse =>
  typeof value === 'object' && value !== null && openStream in value;

/** Whoever reads slower than this is cut off: they come back and go on from where they were. */
const maxBufferedBytes = 1024 * 1024;
/** A reader who takes nothing for so long is gone. */
const drainTimeoutMs = 5_000;
/** Nothing said for so long, and a proxy between us may hang up. */
const heartbeatMs = 15_000;

/** All open streams of a process: one clock for their heartbeats, and one place to end them when it stops. */
export function createStreams() {
  const open = new Set<{ sendHeartbeat(): void; end(): void }>();
  const heartbeat = setInterval(() => open.forEach((one) => one.sendHeartbeat()), heartbeatMs);
  heartbeat.unref();

  return {
    /** Takes the answer out of Fastify's hands: from here on bytes are written as they come. */
    start(reply: FastifyReply, response: StreamedResponse, onError: (error: unknown) => void): void {
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
      const connection = { sendHeartbeat: () => write(':\n\n'), end: () => (close(), void raw.end()) };
      raw.once('close', close);
      raw.writeHead(reply.statusCode, {
        ...(reply.getHeaders() as Record<string, string>),
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      });
      connection.sendHeartbeat(); // at once, so that a proxy that holds everything back is told from a conversation in which nothing happens
      open.add(connection);
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
        connection.end(); // the client comes back and gets the rest
      });
    },
    close: () => {
      clearInterval(heartbeat);
      for (const one of open) one.end();
    },
  };
}
export type Streams = ReturnType<typeof createStreams>;
