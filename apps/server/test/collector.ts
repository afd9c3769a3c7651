import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Numbers are text, as in OTLP's JSON. */
type Value = string | boolean | Value[];

export interface Span {
  name: string;
  /** 2: server, 3: client, 4: producer. */
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  service: string;
  attributes: Record<string, Value>;
  /** Everything that was sent about it. */
  text: string;
}

interface AttributeValue {
  stringValue?: string;
  intValue?: number;
  doubleValue?: number;
  boolValue?: boolean;
  arrayValue?: { values: AttributeValue[] };
}
interface Attribute {
  key: string;
  value: AttributeValue;
}
const valueOf = ({ stringValue, intValue, doubleValue, boolValue, arrayValue }: AttributeValue): Value =>
  arrayValue ? arrayValue.values.map(valueOf) : (stringValue ?? boolValue ?? String(intValue ?? doubleValue));
const valuesOf = (attributes: readonly Attribute[] = []): Record<string, Value> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, valueOf(value)]));

type SentSpan = Omit<Span, 'service' | 'attributes' | 'text'> & { attributes?: Attribute[] };
interface Batch {
  resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: SentSpan[] }[] }[];
}

/** An OTLP collector over HTTP. */
export async function startCollector() {
  const spans: Span[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (part: Buffer) => chunks.push(part));
    request.on('end', () => {
      const { resourceSpans } = JSON.parse(Buffer.concat(chunks).toString()) as Batch;
      for (const { resource, scopeSpans } of resourceSpans)
        for (const sent of scopeSpans.flatMap((scope) => scope.spans)) {
          const service = String(valuesOf(resource.attributes)['service.name']);
          spans.push({ ...sent, service, attributes: valuesOf(sent.attributes), text: JSON.stringify(sent) });
        }
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { spans, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}
