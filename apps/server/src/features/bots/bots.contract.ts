import { getDomain } from 'tldts';
import { z } from 'zod';
import { idOf } from '../../platform/ids.contract.ts';
import { ListQuery, Page } from '../../platform/lists.contract.ts';
import { BotContent, DraftChange, VersionContent } from './bot-content.contract.ts';

const name = z.string().trim().min(1).max(80);
const retentionDays = z.int().min(1).max(730).describe('How long conversations are kept after their last message.');

export const BotStatus = z.enum(['active', 'paused', 'archived']);
export type BotStatus = z.infer<typeof BotStatus>;

const originShape =
  /^(https:\/\/(\*\.)?[a-z0-9]([a-z0-9.-]{0,250}[a-z0-9])?|http:\/\/(localhost|127\.0\.0\.1))(:[1-9][0-9]{0,4})?$/;

/** In the form that browsers send in `Origin`; others would never match. `*.` needs at least two labels after it. */
function isOrigin(text: string): boolean {
  const sample = text.replace('*.', 'any.');
  const url = URL.parse(sample);
  const labels = url?.hostname.split('.') ?? [];
  return url?.origin === sample && labels.every(Boolean) && (sample === text || labels.length > 2);
}

/** Rejects `https://*.co.uk` or `https://*.github.io`, where anyone can register a name. */
function isOfOneOwner(text: string): boolean {
  const [, below] = text.split('*.');
  return below === undefined || getDomain(below, { allowPrivateDomains: true }) !== null;
}

export const AllowedOrigin = z
  .string()
  .regex(
    originShape,
    'Use a lower-case origin such as https://example.com or https://*.example.com, without a path. http is only allowed for localhost and 127.0.0.1.',
  )
  .refine(isOrigin, {
    message:
      'Write it as a browser sends it: punycode for non-ASCII characters, no :443, no empty label, and at least two labels after *.',
  })
  .refine(isOfOneOwner, { message: 'Anyone can host a page under this domain. Use your own domain after *.' });

const allowedOrigins = z
  .array(AllowedOrigin)
  .max(50)
  .describe(
    'Origins of the pages that may load this bot. `https://*.example.com` covers subdomains, but not example.com.',
  );

const spend = z
  .number()
  .min(0)
  .max(1_000_000)
  .nullable()
  .describe('In US dollars. null: only the plan’s limit applies.');

/** What a bot may spend on models. */
export const BotLimits = z.strictObject({
  spendPerDay: spend.default(null),
  spendPerVisitorDay: spend.default(null),
});
export type BotLimits = z.infer<typeof BotLimits>;
const changeLimits = z.strictObject({ spendPerDay: spend.optional(), spendPerVisitorDay: spend.optional() });

export const Bot = z
  .object({
    id: idOf('bot'),
    workspaceId: idOf('workspace'),
    name: z.string(),
    status: BotStatus,
    allowedOrigins: z.array(z.string()),
    deployments: z.record(idOf('environment'), idOf('botVersion')).describe('The live version in each environment.'),
    draft: BotContent,
    revision: z
      .int()
      .describe('Revision of the draft. Send it with an update to avoid overwriting someone else’s changes.'),
    retentionDays: z.int(),
    limits: BotLimits,
    createdAt: z.date(),
  })
  .meta({ id: 'Bot' });
export type Bot = z.infer<typeof Bot>;
export const OneBot = z.object({ bot: Bot });
export const Bots = Page(Bot);
export const BotId = z.object({ id: idOf('bot') });

export const ListBots = ListQuery.extend({
  status: BotStatus.optional(),
  workspaceId: idOf('workspace').optional(),
  q: z.string().trim().min(1).max(80).optional().describe('Part of the name. Not case-sensitive.'),
});
export type ListBots = z.infer<typeof ListBots>;

export const CreateBot = z.strictObject({
  name,
  workspaceId: idOf('workspace').optional().describe('Defaults to your first workspace.'),
  allowedOrigins: allowedOrigins.default([]),
  retentionDays: retentionDays.default(90),
  limits: changeLimits.default({}),
  draft: DraftChange.default({}),
});
export type CreateBot = z.infer<typeof CreateBot>;

export const UpdateBot = z.strictObject({
  name: name.optional(),
  status: BotStatus.optional().describe('An archived bot can be restored if your plan has room for it.'),
  allowedOrigins: allowedOrigins.optional(),
  retentionDays: retentionDays.optional(),
  limits: changeLimits.optional(),
});
export type UpdateBot = z.infer<typeof UpdateBot>;

export const UpdateDraft = z.strictObject({
  revision: z.int().min(1).max(2_147_483_647).describe('The revision your change is based on.'),
  draft: DraftChange,
});
export type UpdateDraft = z.infer<typeof UpdateDraft>;

/** A version without its content. */
export const BotVersionHead = z
  .object({
    id: idOf('botVersion'),
    botId: idOf('bot'),
    number: z.int().nullable().describe('null: a draft that was frozen for testing and is never deployed.'),
    contentHash: z.string().describe('Hexadecimal SHA-256 of the content, as JSON with sorted keys.'),
    notes: z.string(),
    createdBy: z.string(),
    createdAt: z.date(),
  })
  .meta({ id: 'BotVersionHead' });
export type BotVersionHead = z.infer<typeof BotVersionHead>;

export const BotVersion = BotVersionHead.extend({ content: VersionContent }).meta({ id: 'BotVersion' });
export type BotVersion = z.infer<typeof BotVersion>;
export const OneBotVersion = z.object({ version: BotVersion });
export const BotVersions = Page(BotVersionHead);
export const BotVersionId = BotId.extend({ versionId: idOf('botVersion') });
export const VersionDiffParams = BotVersionId.extend({ otherId: idOf('botVersion') });

export const PublishBot = z.strictObject({
  notes: z.string().trim().max(2_000).default('').describe('Release notes for your team.'),
});

const value = z.unknown().describe('null if it was not set.');
export const VersionDiff = z.object({
  changes: z.array(
    z.object({
      path: z.string().describe('A JSON Pointer such as `/answers/mode`. A list is treated as one value.'),
      before: value,
      after: value,
    }),
  ),
});

export const DeployBot = z.strictObject({ environmentId: idOf('environment'), versionId: idOf('botVersion') });
export type DeployBot = z.infer<typeof DeployBot>;

export const BotDeployment = z
  .object({
    botId: idOf('bot'),
    environmentId: idOf('environment'),
    versionId: idOf('botVersion'),
    number: z.int(),
    deployedBy: z.string(),
    deployedAt: z.date(),
  })
  .meta({ id: 'BotDeployment' });
export type BotDeployment = z.infer<typeof BotDeployment>;
export const OneBotDeployment = z.object({ deployment: BotDeployment });
