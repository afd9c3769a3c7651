// A webhook endpoint for Parley that needs only Node. Start it with: SECRETS=whsec_… PORT=8080 node verify.mjs
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { env } from 'node:process';

const secrets = (env.SECRETS ?? '').split(',').filter(Boolean); // both, during a rotation
if (secrets.length === 0) throw new Error('Set SECRETS to the secret of your endpoint.');
const toleranceSeconds = 300;
const maxBytes = 1024 * 1024;

// Only the body is signed, so these headers must match it.
const fieldOf = {
  'idempotency-key': 'id',
  'x-service-event': 'type',
  'x-service-tenant-id': 'tenantId',
  'x-service-environment-id': 'environmentId', // null if the event has no environment
  'x-service-action-id': 'actionId',
};

// Compares every secret with every signature, in constant time, so that the duration reveals nothing.
function isSigned(headers, body) {
  const given = (headers['x-service-signature'] ?? '').split(',').filter((one) => /^v1=[\da-f]{64}$/.test(one));
  let isValid = false;
  for (const secret of secrets) {
    const expected = createHmac('sha256', secret).update(`${headers['x-service-timestamp']}.`).update(body).digest();
    for (const one of given) isValid = timingSafeEqual(Buffer.from(one.slice(3), 'hex'), expected) || isValid;
  }
  return isValid;
}

function isRecent(headers) {
  const timestamp = headers['x-service-timestamp'] ?? '';
  return /^\d{10,11}$/.test(timestamp) && Math.abs(Date.now() / 1000 - Number(timestamp)) <= toleranceSeconds;
}

function parse(body) {
  try {
    return JSON.parse(body.toString());
  } catch {
    return null;
  }
}

function respond(headers, body) {
  if (!isSigned(headers, body)) return [401, 'bad signature'];
  if (!isRecent(headers)) return [401, 'timestamp too old or in the future'];
  const event = parse(body);
  if (event === null || typeof event !== 'object' || Array.isArray(event)) return [400, 'not an event'];
  for (const [header, field] of Object.entries(fieldOf))
    if ((event[field] ?? null) !== null && headers[header] !== event[field])
      return [401, `${header} differs from the body`];
  // Handle the event here. It can be delivered more than once: process each `event.id` once.
  console.log(event.type, event.id);
  return [200, 'ok'];
}

const server = createServer((request, response) => {
  const chunks = []; // the raw bytes: parsing and serializing the JSON again would change the signature
  let size = 0;
  request.on('data', (chunk) => {
    size += chunk.length;
    if (size > maxBytes) request.destroy();
    else chunks.push(chunk);
  });
  request.on('end', () => {
    const [status, text] = respond(request.headers, Buffer.concat(chunks));
    response.writeHead(status, { 'content-type': 'text/plain' }).end(text);
  });
});
server.listen(Number(env.PORT ?? 8080));
