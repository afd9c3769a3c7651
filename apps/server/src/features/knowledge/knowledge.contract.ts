import { z } from 'zod';
import { idOf } from '../../platform/ids.contract.ts';
import { ListQuery, Page } from '../../platform/lists.contract.ts';

export const SourceKind = z.enum(['text', 'url', 'site', 'sitemap', 'file', 'qa']);
export type SourceKind = z.infer<typeof SourceKind>;
const Schedule = z.enum(['none', 'daily', 'weekly']);
export type Schedule = z.infer<typeof Schedule>;

const line = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .regex(/^[^\n\r]*$/, 'Use a single line.');
const name = line(120);
const language = z
  .string()
  .regex(/^[a-z]{2}$/, 'Use a two-character code such as en.')
  .nullable()
  .describe('Language of all its documents, as ISO 639-1. null: detected per document.');
const text = z
  .string()
  .trim()
  .min(1)
  .max(1_000_000)
  .describe('Markdown. Headings improve search. A text of more than 200,000 characters becomes several documents.');
const url = z.url({ protocol: /^https?$/ }).max(2_000);
const prefixes = z
  .array(
    z
      .string()
      .regex(/^\/[!-~]*$/, 'Use a path that starts with /.')
      .max(200),
  )
  .max(50);
const include = prefixes.describe('Only pages whose path starts with one of these. Empty: all pages.');
const exclude = prefixes.describe('Skip pages whose path starts with one of these.');
const depth = z
  .int()
  .min(0)
  .max(10)
  .describe('How many links away from the start page to go. Pages of the site’s sitemaps count as one link away.');
const Pair = z.strictObject({ question: line(300), answer: z.string().trim().min(1).max(4_000) });
const pairs = z
  .array(Pair)
  .min(1)
  .max(500)
  .refine(
    (all) => new Set(all.map(({ question }) => question)).size === all.length,
    'The same question is listed twice.',
  );
const fileName = line(200).describe('With its extension, such as `prices.pdf`.');

const common = { name, schedule: Schedule.default('none'), language: language.default(null) };
export const CreateSource = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('text'), ...common, text }),
  z.strictObject({ kind: z.literal('url'), ...common, url }),
  z.strictObject({
    kind: z.literal('site'),
    ...common,
    url,
    depth: depth.default(3),
    include: include.default([]),
    exclude: exclude.default([]),
  }),
  z.strictObject({
    kind: z.literal('sitemap'),
    ...common,
    url,
    include: include.default([]),
    exclude: exclude.default([]),
  }),
  z.strictObject({ kind: z.literal('file'), ...common, fileName }),
  z.strictObject({ kind: z.literal('qa'), ...common, pairs }),
]);
export type CreateSource = z.infer<typeof CreateSource>;

/** The content fields of each kind. Fields of another kind are rejected. */
export const Config = {
  text: z.object({ text }),
  url: z.object({ url }),
  site: z.object({ url, depth, include, exclude }),
  sitemap: z.object({ url, include, exclude }),
  file: z.object({ fileName }),
  qa: z.object({ pairs }),
};

export type Configs = { [K in SourceKind]: z.infer<(typeof Config)[K]> };

export const UpdateSource = z
  .strictObject({
    name,
    isEnabled: z.boolean(),
    schedule: Schedule,
    language,
    text,
    url,
    depth,
    include,
    exclude,
    fileName,
    pairs,
  })
  .partial();
export type UpdateSource = z.infer<typeof UpdateSource>;

const Problem = z
  .object({
    reason: z.string().describe('A stable, machine-readable cause. Branch on this.'),
    message: z.string().describe('A human-readable explanation with the next step.'),
  })
  .nullable();

export const Source = z
  .object({
    id: idOf('knowledgeSource'),
    botId: idOf('bot'),
    kind: SourceKind,
    name: z.string(),
    isEnabled: z.boolean().describe('Included in the next published version.'),
    schedule: Schedule,
    language: z.string().nullable(),
    sync: z.object({
      state: z.enum(['waiting', 'syncing', 'ready', 'failed']),
      done: z.int().describe('Documents processed so far.'),
      total: z.int().describe('Documents in total. 0 until known. In a crawl it grows as pages are found.'),
      secondsLeft: z
        .int()
        .nullable()
        .describe('How long the documents found so far will take at the current speed. null if unknown.'),
      isLimited: z.boolean().describe('More pages were found than a source can have (2,000). The rest is left out.'),
      error: Problem,
      lastSyncedAt: z.date().nullable(),
      nextSyncAt: z.date().nullable(),
    }),
    documents: z.object({ ready: z.int(), failed: z.int() }),
    chunks: z.int().describe('Chunks that can be found and quoted, as of the last sync.'),
    bytes: z.int().describe('Storage used: the larger of what was uploaded and the text that was synced from it.'),
    createdAt: z.date(),
    createdBy: z.string(),
  })
  .meta({ id: 'KnowledgeSource' });
export type Source = z.infer<typeof Source>;

const Content = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('text'), text: z.string() }),
    z.object({ kind: z.literal('url'), url: z.string() }),
    z.object({
      kind: z.literal('site'),
      url: z.string(),
      depth: z.int(),
      include: z.array(z.string()),
      exclude: z.array(z.string()),
    }),
    z.object({
      kind: z.literal('sitemap'),
      url: z.string(),
      include: z.array(z.string()),
      exclude: z.array(z.string()),
    }),
    z.object({
      kind: z.literal('file'),
      fileName: z.string(),
      bytes: z.int().nullable().describe('null until the file is uploaded.'),
    }),
    z.object({ kind: z.literal('qa'), pairs: z.array(z.object({ question: z.string(), answer: z.string() })) }),
  ])
  .meta({ id: 'KnowledgeContent' });

export const OneSource = z.object({ source: Source });
export const SourceWithContent = OneSource.extend({ content: Content });
export type Content = z.infer<typeof Content>;
export const Sources = Page(Source).extend({
  storage: z
    .object({
      usedBytes: z.int(),
      limitBytes: z.int().describe('What the plan allows for each bot (`knowledge_megabytes.per_bot`).'),
    })
    .describe('Of all sources of the bot.'),
});
export const SourceId = z.object({ id: idOf('knowledgeSource') });
export const BotParams = z.object({ botId: idOf('bot') });
export { ListQuery as ListSources };

export const DocumentState = z.enum(['waiting', 'ready', 'failed']);
export const ListDocuments = ListQuery.extend({ state: DocumentState.optional() });
export type ListDocuments = z.infer<typeof ListDocuments>;
export const Document = z
  .object({
    id: idOf('knowledgeDocument'),
    location: z.string().describe('Its URL. For a question, the question.'),
    title: z.string(),
    language: z.string().nullable(),
    state: DocumentState,
    error: Problem,
    fetchedAt: z.date().nullable(),
  })
  .meta({ id: 'KnowledgeDocument' });
export type Document = z.infer<typeof Document>;
export const Documents = Page(Document);
export const DocumentId = z.object({ id: idOf('knowledgeDocument') });

export const Chunks = Page(
  z
    .object({
      position: z.int().describe('Position in its document, starting at 0.'),
      heading: z.string().describe('The headings above it. For a question, the question.'),
      text: z.string().describe('Markdown.'),
    })
    .meta({ id: 'KnowledgeChunk' }),
);

export const PlanCrawl = z.strictObject({
  url,
  depth: depth.default(3),
  include: include.default([]),
  exclude: exclude.default([]),
});
export type PlanCrawl = z.infer<typeof PlanCrawl>;
export const CrawlPlan = z
  .object({
    url: z.string().describe('The start page, after redirects.'),
    crawlDelaySeconds: z.number().describe('The pause between two pages that the site’s robots.txt requires.'),
    sitemaps: z.array(z.string()).describe('The sitemaps found. Empty: pages are found by following links only.'),
    pages: z.object({
      found: z.int().describe('Pages that match so far. Following links can find more.'),
      isLimited: z.boolean().describe('More pages were found than a source can have (2,000).'),
    }),
    sections: z
      .array(
        z.object({
          path: z.string().describe('A path prefix for `include` or `exclude`.'),
          pages: z.int(),
          isIncluded: z.boolean(),
        }),
      )
      .describe('The parts of the site with the most pages, up to 12.'),
    examples: z.array(z.string()).describe('The first pages, up to 10.'),
    secondsExpected: z.int().describe('How long the pages found so far will take.'),
    problem: Problem.describe('Why the start page can’t be used.'),
  })
  .meta({ id: 'CrawlPlan' });
export type CrawlPlan = z.infer<typeof CrawlPlan>;
export const PlannedCrawl = z.object({ plan: CrawlPlan });

export const AskBot = z.strictObject({ question: z.string().trim().min(1).max(500) });
export const AskBotParams = z.object({ id: idOf('bot') });
const source = {
  documentId: idOf('knowledgeDocument'),
  title: z.string(),
  heading: z.string(),
  url: z.string().nullable(),
};
export const DraftAnswer = z.object({
  text: z.string().describe('Markdown.'),
  citations: z.array(z.object({ n: z.int(), ...source })),
});
export const AskedBot = z
  .object({
    answer: DraftAnswer.nullable().describe('What the bot would quote now. null: it finds no answer.'),
    chunks: z
      .array(
        z.object({
          ...source,
          sourceId: idOf('knowledgeSource'),
          sourceName: z.string(),
          text: z.string().describe('The first 600 characters.'),
          score: z.number().describe('Relevance to the question, from 0 to about 1.'),
          matched: z.array(z.string()).describe('Terms of the question that match, in any form.'),
          isQuoted: z.boolean(),
        }),
      )
      .describe('The best matches, up to 8.'),
  })
  .meta({ id: 'AskedBot' });
export type AskedBot = z.infer<typeof AskedBot>;
