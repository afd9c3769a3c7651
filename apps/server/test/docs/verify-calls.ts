import { createHmac, randomBytes } from 'node:crypto';

export interface Call {
  headers: Record<string, string>;
  body: string;
}

/** What a receiver may not believe before it has looked at the body. */
const unsigned = [
  'idempotency-key',
  'x-service-event',
  'x-service-tenant-id',
  'x-service-environment-id',
  'x-service-action-id',
];

export const aSecret = () => `whsec_${randomBytes(32).toString('base64')}`;

const sign = (secret: string, timestamp: string, body: string) =>
  `v1=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`;
const claiming = ({ headers, body }: Call, name: string, value: string): Call => ({
  headers: { ...headers, [name]: value },
  body,
});
const without = ({ headers, body }: Call, name: string): Call => ({
  headers: Object.fromEntries(Object.entries(headers).filter(([one]) => one !== name)),
  body,
});

/** A call of the worker, what somebody may make of it, and the status that each deserves where both secrets are held. */
export function callsLike(genuine: Call, secret: string, otherSecret: string): Record<string, [number, Call]> {
  const { headers, body } = genuine;
  const now = Math.floor(Date.now() / 1_000);
  const signed = ({ by = [secret], at = `${now}`, bytes = body, before = '' } = {}): Call => ({
    headers: {
      ...headers,
      'x-service-timestamp': at,
      'x-service-signature': before + by.map((one) => sign(one, at, bytes)).join(','),
    },
    body: bytes,
  });
  const signature = headers['x-service-signature'] ?? '';
  const event = JSON.parse(body) as Record<string, unknown>;
  const data = { tenantId: 'ten_inner', said: '"}, "tenantId": "ten_said" \\', words: 'grüße 😀' };
  const intricate = signed({ bytes: JSON.stringify({ ...event, data }) });
  return {
    'as it came': [200, genuine],
    'signed by the other secret that is held': [200, signed({ by: [otherSecret] })],
    'the second signature is good': [200, signed({ by: [aSecret(), secret] })],
    'beside a scheme to come': [200, signed({ before: 'v2=abc,' })],
    '290 s old': [200, signed({ at: `${now - 290}` })],
    '290 s ahead': [200, signed({ at: `${now + 290}` })],
    'written with spaces': [200, signed({ bytes: JSON.stringify(event, null, 2) })],
    'the same fields deeper inside and in words': [200, intricate],

    'no signature': [401, without(genuine, 'x-service-signature')],
    'no time': [401, without(genuine, 'x-service-timestamp')],
    'signed by a stranger': [401, signed({ by: [aSecret()] })],
    'signed with an empty secret': [401, signed({ by: [''] })],
    'only a scheme to come': [401, claiming(genuine, 'x-service-signature', signature.replace('v1=', 'v2='))],
    'half a signature': [401, claiming(genuine, 'x-service-signature', signature.slice(0, 35))],
    'another byte in the body': [401, { headers, body: body.replace('"n":1', '"n":2') }],
    'written anew, signed as before': [401, { headers, body: JSON.stringify(event, null, 1) }],
    'another time, signed as before': [401, claiming(genuine, 'x-service-timestamp', `${now + 7}`)],
    '310 s old': [401, signed({ at: `${now - 310}` })],
    '310 s ahead': [401, signed({ at: `${now + 310}` })],
    'a time that is no number': [401, signed({ at: 'now' })],

    'not JSON': [400, signed({ bytes: '{"id":' })],
    'no object': [400, signed({ bytes: '[]' })],
    null: [400, signed({ bytes: 'null' })],
    'a tenant from deeper inside': [401, claiming(intricate, 'x-service-tenant-id', 'ten_inner')],
    'a tenant from words': [401, claiming(intricate, 'x-service-tenant-id', 'ten_said')],
    ...Object.fromEntries(unsigned.map((name) => [`another ${name}`, [401, claiming(genuine, name, 'other')]])),
    ...Object.fromEntries(unsigned.map((name) => [`no ${name}`, [401, without(genuine, name)]])),
  };
}
