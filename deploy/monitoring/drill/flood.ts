// As many requests as one process answers, from another process: for run in the drill only.
import { Agent, request } from 'undici';

const url = process.env['FLOOD_URL'] ?? '';
const connections = 16;
const dispatcher = new Agent({ connections, pipelining: 8 });

await Promise.all(
  Array.from({ length: connections * 8 }, async () => {
    for (;;)
      await request(url, { dispatcher }).then(
        ({ body }) => body.dump(),
        () => {},
      );
  }),
);
