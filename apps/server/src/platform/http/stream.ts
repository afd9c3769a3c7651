import type { FastifyReply } from 'fastify';

/** One server-sent event. */
export interface Sent {
  id?: number;
  event: string;
  data: unknown;
}

/** Where the events of one answer go. */
export interface Sink {
  send(sent: Sent): void;
  end(): void;
  isOpen(): boolean;
  /** Until most of what was sent has gone out. For whoever has much to send. */
  drained(): Promise<void>;
  /** Called once, whoever ended it. */
  onEnd(hear: () => void): void;
}

const opens = Symbol('opens');

/** An answer that goes on: what a handler returns instead of a value. */
export interface Streamed {
  [opens]: (sink: Sink) => Promise<void>;
}
export const streamed = (open: (sink: Sink) => Promise<void>): Streamed => ({ [opens]: open });
export const isStreamed = (answer: unknown): answer is Streamed =>
  typeof answer === 'object' && answer !== null && opens in answer;

/** Whoever reads slower than this is cut off: they come back and go on from where they were. */
const maxWaiting = 1024 * 1024;
/** A reader who takes nothing for so long is gone. */
const drainMs = 5_000;
/** Nothing said for so long, and a proxy between us may hang up. */
const heartbeatMs = 15_000;

/** All open streams of a process: one clock for their heartbeats, and one place to end them when it stops. */
export function createStreams() {
  const open = new Set<{ beat(): void; end(): void }>();
  const beating = setInterval(() => open.forEach((one) => one.beat()), heartbeatMs);
  beating.unref();

  return {
    /** Takes the answer out of Fastify's hands: from here on bytes are written as they come. */
    begin(reply: FastifyReply, response: Streamed, onFault: (error: unknown) => void): void {
      reply.hijack();
      const { raw } = reply;
      const endings = new Set<() => void>();
      let isOpen = true;
      const close = () => {
        if (!isOpen) return;
        isOpen = false;
        open.delete(one);
        for (const ending of endings) ending();
      };
      const write = (text: string) => {
        if (!isOpen) return;
        raw.write(text);
        if (raw.writableLength > maxWaiting) raw.destroy();
      };
      const one = { beat: () => write(':\n\n'), end: () => (close(), void raw.end()) };
      raw.once('close', close);
      raw.writeHead(reply.statusCode, {
        ...(reply.getHeaders() as Record<string, string>),
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      });
      one.beat(); // at once, so that a proxy that holds everything back is told from a conversation in which nothing happens
      open.add(one);
      response[opens]({
        send: ({ id, event, data }) =>
          write(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
        end: one.end,
        isOpen: () => isOpen,
        drained: async () => {
          if (raw.writableLength < maxWaiting / 4) return;
          const late = setTimeout(() => raw.destroy(), drainMs);
          let go = () => {};
          await new Promise<void>((resolve) => {
            go = resolve;
            raw.once('drain', go);
            endings.add(go);
          });
          raw.off('drain', go);
          endings.delete(go);
          clearTimeout(late);
        },
        onEnd: (hear) => void (isOpen ? endings.add(hear) : hear()),
      }).catch((error: unknown) => {
        onFault(error);
        one.end(); // the client comes back and gets the rest
      });
    },
    close: () => {
      clearInterval(beating);
      for (const one of open) one.end();
    },
  };
}
export type Streams = ReturnType<typeof createStreams>;
