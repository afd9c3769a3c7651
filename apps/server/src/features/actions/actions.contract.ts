import { z } from 'zod';
import { idOf } from '../../platform/ids.contract.ts';
import { Page } from '../../platform/lists.contract.ts';

/** No longer than `unitMs` of an invocation. A backend that needs longer returns 202. */
export const maxTimeoutMs = 15_000;

const name = z
  .string()
  .regex(
    /^[a-z][a-z0-9_]{0,47}$/,
    'Use lower case, digits and underscores, starting with a to z, such as order_status.',
  );
const line = (max: number) =>
  z
    .string()
    .trim()
    .max(max)
    .regex(/^[^\n\r]*$/, 'Use a single line.');

/** JSON Schema 2020-12 of an object. `problemOfSchema` validates it when the action is saved. */
const Schema = z.record(z.string(), z.unknown());
export type Schema = z.infer<typeof Schema>;

const Pointer = z
  .string()
  .max(200)
  .regex(
    /^\/(input|steps\/[a-z][a-z0-9_]{0,47})(\/([^~/]|~[01])*)*$/,
    'A JSON Pointer into `input` or `steps`, such as /input/orderId or /steps/find/total.',
  );
const scalar = z.union([z.string().max(500), z.number(), z.boolean(), z.null()]);

/** The source of each input field: an earlier result or a fixed value. There are no expressions. */
const Mapping = z
  .record(
    z
      .string()
      .min(1)
      .max(64)
      .refine((field) => field !== '__proto__', 'Choose another name.'),
    z.union([z.strictObject({ from: Pointer }), z.strictObject({ value: scalar })]),
  )
  .refine((fields) => Object.keys(fields).length <= 50, 'At most 50 fields.');
export type Mapping = z.infer<typeof Mapping>;

const Condition = z.union([
  z.strictObject({ from: Pointer, equals: scalar }),
  z.strictObject({ from: Pointer, differs: scalar }),
  z.strictObject({ from: Pointer, exists: z.boolean() }),
]);
export type Condition = z.infer<typeof Condition>;

export const Step = z.strictObject({
  name,
  actionId: idOf('action').describe('Another action of this bot, without steps.'),
  input: Mapping.default({}),
  when: Condition.optional().describe('If the condition is not met, the step is skipped.'),
  compensation: z
    .strictObject({ actionId: idOf('action'), input: Mapping.default({}) })
    .optional()
    .describe(
      'Undoes this step if a later one fails. Compensations run in reverse order, without asking for confirmation again.',
    ),
});
export type Step = z.infer<typeof Step>;

const fields = {
  name: name.describe('The name the model uses. Unique within the bot.'),
  title: line(80).min(1).describe('Shown to visitors, such as “Cancel an order”.'),
  description: z
    .string()
    .trim()
    .max(1_000)
    .default('')
    .describe('Tells the model what the action does and when to use it.'),
  inputSchema: Schema.default({ type: 'object', properties: {}, additionalProperties: false }).describe(
    'A JSON Schema (2020-12) of type object. The `title` of a property is its label in confirmations.',
  ),
  outputSchema: Schema.nullable().default(null).describe('Schema of your response. null: any object.'),
  webhookId: idOf('webhook').nullable().default(null).describe('The endpoint that is called. null only with `steps`.'),
  risk: z.enum(['read', 'write']).default('read'),
  effect: z
    .enum(['idempotent', 'reconcile', 'at_most_once'])
    .default('idempotent')
    .describe(
      'What happens if there is no response. `idempotent`: retried with the same Idempotency-Key. `reconcile`: we ask your backend for the result (`action.status`) before retrying. `at_most_once`: never retried; the run ends as `unknown`.',
    ),
  confirm: z
    .enum(['never', 'writes', 'always'])
    .default('writes')
    .describe(
      'When the visitor must confirm. Actions that write are always confirmed: `never` is only for actions that read, and for steps.',
    ),
  requiresContact: z.boolean().default(false).describe('Only for visitors that your backend has authenticated.'),
  timeoutMs: z.int().min(1_000).max(maxTimeoutMs).default(8_000),
  triggers: z
    .array(line(200).min(3))
    .max(30)
    .default([])
    .describe('Phrases with which visitors ask for this action. Used when no model is configured.'),
  questions: z
    .record(z.string().max(64), line(200))
    .default({})
    .describe('How to ask for each field, by field name. Defaults to its title.'),
  isOffered: z.boolean().default(true).describe('false: only available as a step of another action.'),
  steps: z.array(Step).min(1).max(8).nullable().default(null),
  output: Mapping.nullable()
    .default(null)
    .describe('With `steps`: the result. Defaults to the output of the last step.'),
};

/** The part of an action that a published version stores. */
export const ActionSpec = z.object({ id: idOf('action'), ...fields });
export type ActionSpec = z.infer<typeof ActionSpec>;

export const Action = ActionSpec.extend({
  botId: idOf('bot'),
  createdAt: z.date(),
  createdBy: z.string(),
  updatedAt: z.date(),
  lastRun: z
    .object({ id: idOf('actionRun'), state: z.string(), createdAt: z.date() })
    .nullable()
    .describe('The latest run, including test runs.'),
}).meta({ id: 'Action' });
export type Action = z.infer<typeof Action>;
export const OneAction = z.object({ action: Action });
export const Actions = Page(Action);
export const ActionId = z.object({ id: idOf('action') });
export const BotId = z.object({ id: idOf('bot') });

export const CreateAction = z.strictObject(fields);
export type CreateAction = z.infer<typeof CreateAction>;

const optionalFields = Object.fromEntries(
  Object.entries(fields).map(([field, schema]) => [
    field,
    (schema instanceof z.ZodDefault ? (schema.unwrap() as z.ZodType) : (schema as z.ZodType)).optional(),
  ]),
) as { [K in keyof typeof fields]: z.ZodOptional<z.ZodType<z.output<(typeof fields)[K]>>> };
export const UpdateAction = z.strictObject(optionalFields);
export type UpdateAction = z.infer<typeof UpdateAction>;
