// A container's health check, without a shell: `node /app/health.js http://127.0.0.1:3000/health/ready`.
import { get } from 'node:http';

const fail = (reason) => {
  console.error(reason);
  process.exit(1);
};
get(process.argv[2], { timeout: 4000 }, ({ statusCode }) => (statusCode === 200 ? process.exit(0) : fail(statusCode)))
  .on('timeout', () => fail('timed out'))
  .on('error', ({ message }) => fail(message));
