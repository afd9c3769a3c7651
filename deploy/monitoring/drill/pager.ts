import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

interface Notification {
  alerts: { status: 'firing' | 'resolved'; labels: Record<string, string> }[];
}

export const nameOf = ({ alertname, severity }: Record<string, string>) => `${alertname} ${severity}`;

/** Where Alertmanager sends notifications, instead of a paging service: the path is the name of the receiver. */
export async function startPager() {
  /** The first notification about each alert. */
  const notified = new Map<string, { at: number; receiver: string }>();
  const server = createServer((request, response) => {
    const receiver = (request.url ?? '').slice(1);
    void json(request).then((body) => {
      for (const { status, labels } of (body as Notification).alerts) {
        const name = nameOf(labels);
        if (status === 'firing' && !notified.has(name)) notified.set(name, { at: Date.now(), receiver });
      }
      response.writeHead(200).end();
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    notificationOf: (name: string) => notified.get(name),
    clear: () => notified.clear(),
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
