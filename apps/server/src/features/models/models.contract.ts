import { z } from 'zod';
import { idOf } from '../../platform/ids.contract.ts';
import { Page } from '../../platform/lists.contract.ts';

export const Provider = z.enum(['openai-compatible', 'openai', 'anthropic', 'google']);
export type Provider = z.infer<typeof Provider>;

const name = z.string().trim().min(1).max(80);
const baseUrl = z
  .url({ protocol: /^https$/ })
  .max(500)
  .refine((text) => isPlain(URL.parse(text)), 'The URL must not contain a username, a password, ? or #.')
  .nullable()
  .describe(
    'Base URL of an `openai-compatible` provider, such as https://models.example.com/v1. Not needed for other providers.',
  );
const isPlain = (url: URL | null) => url !== null && !(url.username + url.password + url.search + url.hash);
const model = z.string().trim().min(1).max(200).describe('The provider’s name for the model.');
const apiKey = z
  .string()
  .max(500)
  .regex(/^[\x21-\x7e]+$/, 'Use printable ASCII characters without spaces.')
  .nullable()
  .describe('Stored encrypted and never shown again.');
const price = z.number().min(0).max(100_000).describe('US dollars per million tokens.');

export const CreateModel = z.strictObject({
  name,
  provider: Provider,
  baseUrl: baseUrl.default(null),
  model,
  apiKey: apiKey.default(null),
  inputPrice: price,
  outputPrice: price,
});
export type CreateModel = z.infer<typeof CreateModel>;

export const UpdateModel = z.strictObject({
  name: name.optional(),
  provider: Provider.optional(),
  baseUrl: baseUrl.optional(),
  model: model.optional(),
  apiKey: apiKey.optional(),
  inputPrice: price.optional(),
  outputPrice: price.optional(),
});
export type UpdateModel = z.infer<typeof UpdateModel>;

export const Model = z
  .object({
    id: idOf('model'),
    name: z.string(),
    provider: Provider,
    baseUrl: z.string().nullable(),
    model: z.string(),
    hasKey: z.boolean(),
    inputPrice: z.number(),
    outputPrice: z.number(),
    createdBy: z.string(),
    createdAt: z.date(),
  })
  .meta({ id: 'Model' });
export type Model = z.infer<typeof Model>;
export const OneModel = z.object({ model: Model });
export const Models = Page(Model);
export const ModelId = z.object({ id: idOf('model') });
