import { expect, test } from 'vitest';
import { probes } from '../../../../tools/testing/probes.ts';
import { createSafeFetch } from '../../src/platform/safe-fetch.ts';
import { onCleanup, aServer, failureOf } from '../egress.ts';
import { admin, aTenant, type TestTenant } from '../harness.ts';
import { refusals } from '../ssrf-corpus.ts';

// URLs and headers of webhooks, which tenants set and we send later, are rejected when they are saved. For what the HTTP
// client rejects with each request, see platform/safe-fetch.int.test.ts.

const good = { url: 'https://hooks.example.com/a', eventTypes: ['*'] };
const rowsOf = async ({ tenantId }: TestTenant) =>
  (await admin.selectFrom('webhooks').select('id').where('tenantId', '=', tenantId).execute()).length;

/** URLs that can be rejected without DNS. Names that resolve to private addresses are rejected with the request. */
const isDetectedByText = ({ reason }: (typeof refusals)[number]) => reason !== 'private_ip' && reason !== 'own_host';
/** Whitespace is removed before the check, so these become valid public URLs. */
const isNormalized = (url: string) =>
  /^https:\/\/open\.corpus\.example\.com\/$/.test(url.replaceAll(/[\s\p{C}]/gu, ''));
/** Every fourth URL, which covers each reason many times. */
const urls = [...new Set(refusals.filter(isDetectedByText).map(({ url }) => url))].filter(
  (url, at) => at % 4 === 0 && !isNormalized(url),
);
/** Small enough for the rate limit of one tenant. */
const groups = Array.from({ length: Math.ceil(urls.length / 50) }, (_, n) => urls.slice(n * 50, (n + 1) * 50));

test('returns 400 for URLs of internal targets, and saves nothing', async () => {
  const accepted: string[] = [];
  for (const group of groups) {
    const tenant = await aTenant();
    const created = await tenant.post('/webhooks', good);
    expect(created.statusCode, created.body).toBe(201);
    const { id } = created.json<{ webhook: { id: string } }>().webhook;
    for (const url of group)
      for (const response of [
        await tenant.post('/webhooks', { ...good, url }),
        await tenant.patch(`/webhooks/${id}`, { url }),
      ])
        if (response.statusCode !== 400) accepted.push(`${url}: ${response.statusCode} ${response.body}`);
    expect(accepted).toEqual([]);
    expect(await rowsOf(tenant)).toBe(1);
  }
  expect(urls.length).toBeGreaterThanOrEqual(probes.ssrfSettings.min);
});

/** Headers that change how a request is framed or routed. */
const framing = [
  'host',
  'Host',
  'connection',
  'content-length',
  'Transfer-Encoding',
  'te',
  'trailer',
  'upgrade',
  'expect',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
];
const names = [
  ...framing,
  'content-type',
  'content-encoding',
  'user-agent',
  'accept-encoding',
  'traceparent',
  'idempotency-key',
  'x-service-signature',
  'X-Service-Event',
  'webhook-id',
  'webhook-signature',
  'webhook-timestamp',
  'x-a: b',
  'x-a\r\nhost',
  'x-a\n',
  'x a',
  'x-ä',
  'x-a\0',
  ':authority',
  '',
];
const values = [
  'a\r\nhost: evil.example',
  'a\nb',
  'a\rb',
  'a\0b',
  'a\u010d\u010ab',
  'a\u2028b',
  '\u007f',
  'x'.repeat(1_025),
];
const headers = [...names.map((name) => ({ [name]: 'x' })), ...values.map((value) => ({ 'x-own': value }))];

test('returns 400 for reserved headers and for header injection', async () => {
  const tenant = await aTenant();
  const accepted: string[] = [];
  for (const header of headers) {
    const response = await tenant.post('/webhooks', { ...good, headers: header });
    if (response.statusCode !== 400) accepted.push(`${JSON.stringify(header)}: ${response.statusCode}`);
  }
  expect(accepted).toEqual([]);
  expect(await rowsOf(tenant)).toBe(0);
  expect(headers.length).toBeGreaterThanOrEqual(probes.ssrfHeaders.min);
});

test('the HTTP client rejects these headers as well, and sends nothing', async () => {
  const server = await aServer((_request, response) => response.end());
  const fetch = createSafeFetch({ openHosts: [`127.0.0.1:${server.port}`], ownHosts: [] });
  onCleanup(fetch.close);
  const url = `http://127.0.0.1:${server.port}/`;
  const accepted: string[] = [];
  const unsendable = [
    ...framing.map((name) => ({ [name]: 'x' })),
    ...['x-a: b', 'x-a\r\nhost', 'x a', 'x-a\0', ''].map((name) => ({ [name]: 'x' })),
    ...values.slice(0, 4).map((value) => ({ 'x-own': value })),
  ];
  for (const sent of unsendable) {
    const { failure } = await failureOf(fetch({ url, headers: sent }));
    if (!failure.startsWith('EgressRefused')) accepted.push(`${JSON.stringify(sent)}: ${failure}`);
  }
  expect(accepted).toEqual([]);
  expect((await fetch({ url, headers: { 'x-own': 'good' } })).status).toBe(200);
});
