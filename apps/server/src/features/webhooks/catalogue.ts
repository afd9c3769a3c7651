import { z } from 'zod';
import { publicEvents } from '../../platform/events.ts';
import { newId } from '../../platform/ids.ts';
import { prefixes, type Kind } from '../../platform/ids.contract.ts';

export const EventTypes = z.object({
  data: z.array(
    z
      .object({
        type: z.string(),
        schema: z.record(z.string(), z.unknown()).describe('JSON Schema of `data` in the envelope.'),
        sample: z.record(z.string(), z.unknown()).describe('An example of `data`.'),
      })
      .meta({ id: 'WebhookEventType' }),
  ),
});

/** Every public event type, with the schema that its data is validated against when it is emitted. */
export const eventTypes = (): z.input<typeof EventTypes> => ({
  data: publicEvents().map(({ type, data }) => {
    const schema = z.toJSONSchema(data, { io: 'output', unrepresentable: 'any', override: datesAsText }) as Schema;
    return {
      type,
      schema: schema as Record<string, unknown>,
      sample: sampleValue(schema, schema) as Record<string, unknown>,
    };
  }),
});

export function sampleData(type: string): unknown {
  const event = publicEvents().find((one) => one.type === type);
  if (!event) throw new Error(`unknown event type '${type}'`);
  const schema = z.toJSONSchema(event.data, { io: 'output', unrepresentable: 'any', override: datesAsText }) as Schema;
  return sampleValue(schema, schema);
}

/** What an endpoint can subscribe to: every type, every wildcard such as `conversation.*`, and `*`. */
export function knownPatterns(): string[] {
  const types = publicEvents().map(({ type }) => type);
  const wildcards = types.flatMap((type) => {
    const parts = type.split('.');
    return parts.slice(1).map((_part, at) => `${parts.slice(0, at + 1).join('.')}.*`);
  });
  return [...new Set(['*', ...wildcards, ...types])].toSorted();
}

interface Schema {
  type?: string | string[];
  format?: string;
  pattern?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  $ref?: string;
  $defs?: Record<string, Schema>;
  properties?: Record<string, Schema>;
  items?: Schema;
  minimum?: number;
}

/** Dates are serialized as text. */
const datesAsText = ({
  zodSchema,
  jsonSchema,
}: {
  zodSchema: z.core.$ZodTypes;
  jsonSchema: z.core.JSONSchema.BaseSchema;
}) => {
  if (zodSchema._zod.def.type === 'date') Object.assign(jsonSchema, { type: 'string', format: 'date-time' });
};

/** A realistic value that matches the schema. */
function sampleValue(schema: Schema, root: Schema, name = ''): unknown {
  if (schema.$ref) {
    const target = root.$defs?.[schema.$ref.replace('#/$defs/', '')];
    return target ? sampleValue(target, root, name) : null;
  }
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const [first] = schema.anyOf ?? schema.oneOf ?? schema.allOf ?? [];
  if (first) return sampleValue(first, root, name);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([key, inner]) => [key, sampleValue(inner, root, key)]),
      );
    case 'array':
      return schema.items ? [sampleValue(schema.items, root, name)] : [];
    case 'integer':
    case 'number':
      return Math.max(1, schema.minimum ?? 1);
    case 'boolean':
      return true;
    case 'string':
      return sampleText(schema, name);
    default:
      return null;
  }
}

function sampleText({ format, pattern }: Schema, name: string): string {
  if (format === 'date-time') return '2026-11-14T09:30:00.000Z';
  const kind = (Object.keys(prefixes) as Kind[]).find((one) => pattern?.startsWith(`^${prefixes[one]}_`));
  if (kind) return newId(kind);
  if (/url/i.test(name)) return 'https://example.com/';
  if (/email/i.test(name)) return 'kim@example.com';
  return name === '' ? 'text' : name;
}
