// The data of each event type, from the event catalogue.
import { eventTypes } from '../../../apps/server/src/features/webhooks/catalogue.ts';
import type { Document } from './document.ts';
import { head, pascal, typesOf } from './types.ts';

export function eventsText({ info }: Document): string {
  const events = eventTypes().data.toSorted((a, b) => (a.type < b.type ? -1 : 1));
  const dataOf = (type: string) => `${pascal(type)}Data`;
  /** Each schema includes its references; in one document they are shared. */
  const schemas: Record<string, unknown> = {};
  for (const { type, schema } of events) {
    const { $defs = {}, ...data } = JSON.parse(
      JSON.stringify(schema).replaceAll('#/$defs/', '#/components/schemas/'),
    ) as Record<string, object>;
    Object.assign(schemas, $defs, { [dataOf(type)]: data });
  }
  return `${head}${typesOf({ openapi: '3.1.0', info, paths: {}, components: { schemas } })}
/** What \`data\` holds, by the type of the event. */
export interface EventData {
${events.map(({ type }) => `  '${type}': ${dataOf(type)};`).join('\n')}
}
`;
}
