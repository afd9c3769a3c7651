// The API, run with --expose-gc. Answers each message of the test with the size of its heap without garbage.
import '../../src/api.ts';

process.on('message', async () => {
  await gc?.({ type: 'major', execution: 'async', flavor: 'last-resort' });
  process.send?.(process.memoryUsage().heapUsed);
});
