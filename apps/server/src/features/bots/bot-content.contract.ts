import { z } from 'zod';
import { idOf } from '../../platform/ids.contract.ts';
import { ActionSpec } from '../actions/actions.contract.ts';

const text = (most: number) => z.string().trim().max(most);
const line = (most: number) => text(most).regex(/^[^\n\r]*$/, 'One line, please.');
const colour = z.string().regex(/^#[0-9a-f]{6}$/i, 'A colour like #0f766e.');
/** A language tag, as in <html lang>. */
export const Language = z.string().regex(/^[a-z]{2,3}(-[A-Z]{2})?$/, 'A language tag like en or pt-BR.');

/** `default` is the deployment's model; else one of the tenant's own. */
const ModelName = z.union([z.literal('default'), idOf('model')]);

export const Answers = z.strictObject({
  mode: z
    .enum(['extractive', 'model'])
    .default('extractive')
    .describe(
      '`extractive` quotes your knowledge word for word, without a model. `model` has a model write the answer.',
    ),
  models: z
    .array(ModelName)
    .min(1)
    .max(4)
    .default(['default'])
    .describe('Tried in this order; after the last, the answer is quoted instead.'),
  temperature: z.number().min(0).max(1).default(0.2),
  maxOutputTokens: z.int().min(50).max(2_000).default(400),
});

export const Appearance = z.strictObject({
  theme: z.enum(['auto', 'light', 'dark']).default('auto'),
  accent: colour.default('#0f766e'),
  radius: z.int().min(0).max(28).default(16),
  side: z.enum(['right', 'left']).default('right'),
  offsetX: z.int().min(0).max(200).default(20),
  offsetY: z.int().min(0).max(200).default(20),
  icon: z.enum(['chat', 'question', 'spark']).default('chat'),
});

export const Handoff = z.strictObject({
  isOffered: z.boolean().default(true).describe('A visitor may ask for a person.'),
  afterUnanswered: z
    .int()
    .min(1)
    .max(10)
    .nullable()
    .default(2)
    .describe('Offer it after so many questions in a row without an answer.'),
  message: text(500).default(''),
});

/** All that makes a bot answer and look as it does. A draft has one, and a version freezes it. */
export const BotContent = z.strictObject({
  title: line(60).default(''),
  instructions: text(8_000).default('').describe('For the model: who it is, how it speaks, what it must not do.'),
  greeting: text(500).default(''),
  quickReplies: z.array(line(60).min(1)).max(6).default([]),
  disclosure: text(300).default('').describe('Shown under the chat, such as that answers come from a machine.'),
  noAnswer: text(500).default('').describe('Said when nothing in the knowledge answers. Empty: our own words.'),
  languages: z
    .array(Language)
    .min(1)
    .max(20)
    .default(['en'])
    .describe('The first is used where the page says none of them.'),
  answers: Answers.prefault({}),
  appearance: Appearance.prefault({}),
  handoff: Handoff.prefault({}),
  texts: z
    .record(z.string().regex(/^[a-zA-Z.]{1,60}$/), text(300))
    .refine((texts) => Object.keys(texts).length <= 200, 'At most 200: every page that opens the bot loads them.')
    .default({})
    .describe('Your own words in place of the widget’s.'),
});
export type BotContent = z.infer<typeof BotContent>;

/** What a version holds: the draft, and the sources and actions that there were when it was published. */
export const VersionContent = BotContent.extend({
  knowledgeSourceIds: z.array(idOf('knowledgeSource')),
  actions: z.array(ActionSpec).default([]),
});
export type VersionContent = z.infer<typeof VersionContent>;

type Bare<S> = S extends z.ZodDefault<infer Inner> | z.ZodPrefault<infer Inner> ? Inner : S;
type ChangeOf<S extends z.ZodRawShape> = z.ZodObject<{ [K in keyof S]: z.ZodOptional<Bare<S[K]>> }, z.core.$strict>;

/** Each field may be left out, and then stays as it was. `partial` would put its default in its place. */
function changeOf<S extends z.ZodRawShape>({ shape }: z.ZodObject<S>): ChangeOf<S> {
  const fields = Object.entries(shape).map(([name, field]) => {
    const bare = field instanceof z.ZodDefault || field instanceof z.ZodPrefault ? field.unwrap() : field;
    const { description } = field as z.ZodType;
    const optional = (bare as z.ZodType).optional();
    return [name, description === undefined ? optional : optional.describe(description)];
  });
  return z.strictObject(Object.fromEntries(fields) as ChangeOf<S>['shape']);
}

/** Part of a draft. What is in groups is changed field by field; lists and texts as a whole. */
export const DraftChange = changeOf(BotContent).extend({
  answers: changeOf(Answers).optional(),
  appearance: changeOf(Appearance).optional(),
  handoff: changeOf(Handoff).optional(),
});
export type DraftChange = z.infer<typeof DraftChange>;
