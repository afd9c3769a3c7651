import { createHmac, randomBytes } from 'node:crypto';

export interface Call {
  headers: Record<string, string>;
  body: string;
}

/** Headers that are not signed, and must be compared with the body. */
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
const withHeader = ({ headers, body }: Call, name: string, value: string): Call => ({
  headers: { ...headers, [name]: value },
  body,
});
const withoutHeader = ({ headers, body }: Call, name: string): Call => ({
  headers: Object.fromEntries(Object.entries(headers).filter(([one]) => one !== name)),
  body,
});

/** A genuine call and variations of it, with the expected status where both secrets are configured. */
export function variationsOf(genuine: Call, secret: string, otherSecret: string): Record<string, [number, Call]> {
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
  const data = { tenantId: 'ten_inner', text: '"}, "tenantId": "ten_text" \\', unicode: 'grüße 😀' };
  const nested = signed({ bytes: JSON.stringify({ ...event, data }) });
  return {
    unchanged: [200, genuine],
    'signed with the other configured secret': [200, signed({ by: [otherSecret] })],
    'with a valid second signature': [200, signed({ by: [aSecret(), secret] })],
    'with a future scheme too': [200, signed({ before: 'v2=abc,' })],
    '290 s old': [200, signed({ at: `${now - 290}` })],
    '290 s ahead': [200, signed({ at: `${now + 290}` })],
    'formatted with spaces': [200, signed({ bytes: JSON.stringify(event, null, 2) })],
    'with the same fields nested and in text': [200, nested],

    'no signature': [401, withoutHeader(genuine, 'x-service-signature')],
    'no timestamp': [401, withoutHeader(genuine, 'x-service-timestamp')],
    'signed with an unknown secret': [401, signed({ by: [aSecret()] })],
    'signed with an empty secret': [401, signed({ by: [''] })],
    'only a future scheme': [401, withHeader(genuine, 'x-service-signature', signature.replace('v1=', 'v2='))],
    'a truncated signature': [401, withHeader(genuine, 'x-service-signature', signature.slice(0, 35))],
    'another byte in the body': [401, { headers, body: body.replace('"n":1', '"n":2') }],
    'reformatted, with the old signature': [401, { headers, body: JSON.stringify(event, null, 1) }],
    'another timestamp, with the old signature': [401, withHeader(genuine, 'x-service-timestamp', `${now + 7}`)],
    '310 s old': [401, signed({ at: `${now - 310}` })],
    '310 s ahead': [401, signed({ at: `${now + 310}` })],
    'a timestamp that is not a number': [401, signed({ at: 'now' })],

    'not JSON': [400, signed({ bytes: '{"id":' })],
    'not an object': [400, signed({ bytes: '[]' })],
    null: [400, signed({ bytes: 'null' })],
    'a nested tenant': [401, withHeader(nested, 'x-service-tenant-id', 'ten_inner')],
    'a tenant from text': [401, withHeader(nested, 'x-service-tenant-id', 'ten_text')],
    ...Object.fromEntries(unsigned.map((name) => [`another ${name}`, [401, withHeader(genuine, name, 'other')]])),
    ...Object.fromEntries(unsigned.map((name) => [`no ${name}`, [401, withoutHeader(genuine, name)]])),
  };
}
