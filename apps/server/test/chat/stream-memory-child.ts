// The API. Answers each message of the test with the size of its heap without garbage.
import { collectStartupGarbage } from '../../src/platform/process.ts';

await import('../../src/api.ts');

process.on('message', () => {
  collectStartupGarbage();
  process.send?.(process.memoryUsage().heapUsed);
});
