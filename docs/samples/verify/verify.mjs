// Receives calls of Parley, with nothing but Node. Start it with: SECRETS=whsec_… PORT=8080 node verify.mjs
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { env } from 'node:process';

const secrets = (env.SECRETS ?? '').split(',').filter(Boolean); // two while you replace one
if (secrets.length === 0) throw new Error('Set SECRETS: an empty secret is one that everybody knows.');
const toleranceSeconds = 300;
const maxBytes = 1024 * 1024;

// Headers are not signed, the body is: what both say must be the same.
const fieldOf = {
  'idempotency-key': 'id',
  'x-service-event': 'type',
  'x-service-tenant-id': 'tenantId',
  'x-service-environment-id': 'environmentId', // null where an event concerns no environment
  'x-service-action-id': 'actionId',
};

// Each secret against each signature, to the end: how long it takes tells nobody anything.
function isSigned(headers, body) {
  const given = (headers['x-service-signature'] ?? '').split(',').filter((one) => /^v1=[\da-f]{64}$/.test(one));
  let isGood = false;
  for (const secret of secrets) {
    const expected = createHmac('sha256', secret).update(`${headers['x-service-timestamp']}.`).update(body).digest();
    for (const one of given) isGood = timingSafeEqual(Buffer.from(one.slice(3), 'hex'), expected) || isGood;
  }
  return isGood;
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

function answerTo(headers, body) {
  if (!isSigned(headers, body)) return [401, 'bad signature'];
  if (!isRecent(headers)) return [401, 'too old, or from the future'];
  const event = parse(body);
  if (event === null || typeof event !== 'object' || Array.isArray(event)) return [400, 'not an event'];
  for (const [header, field] of Object.entries(fieldOf))
    if ((event[field] ?? null) !== null && headers[header] !== event[field])
      return [401, `${header} differs from the body`];
  // Your work begins here. Do that of one `event.id` once: the same event may come again.
  console.log(event.type, event.id);
  return [200, 'ok'];
}

const server = createServer((request, response) => {
  const chunks = []; // the bytes as they came: JSON that is written anew has another signature
  let size = 0;
  request.on('data', (chunk) => {
    size += chunk.length;
    if (size > maxBytes) request.destroy();
    else chunks.push(chunk);
  });
  request.on('end', () => {
    const [status, text] = answerTo(request.headers, Buffer.concat(chunks));
    response.writeHead(status, { 'content-type': 'text/plain' }).end(text);
  });
});
server.listen(Number(env.PORT ?? 8080));
