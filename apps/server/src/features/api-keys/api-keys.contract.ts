import { z } from 'zod';
import { Permission } from '../../platform/access.contract.ts';
import { idOf } from '../../platform/ids.contract.ts';
import { ListQuery, Page } from '../../platform/lists.contract.ts';

export const KeyType = z.enum(['secret_server', 'public_widget']);
export type KeyType = z.infer<typeof KeyType>;

const name = z.string().trim().min(1).max(80);
const future = z.iso.datetime().pipe(z.coerce.date()).nullable();

/** Permissions a key can have. Excludes members, keys and billing, so that a stolen key can't create another one. */
export const KeyPermission = Permission.exclude([
  'tenant.delete',
  'ownership.transfer',
  'member.view',
  'member.manage',
  'billing.view',
  'billing.manage',
  'api_key.view',
  'api_key.manage',
  'support_access.manage',
  'policy.manage',
]);

export const CreateApiKey = z
  .strictObject({
    name,
    keyType: KeyType,
    boundBotId: idOf('bot').nullable().default(null).describe('The bot that a `public_widget` key belongs to.'),
    workspaceId: idOf('workspace').nullable().default(null),
    environmentId: idOf('environment').nullable().default(null),
    expiresAt: future.default(null),
    permissions: z
      .array(KeyPermission)
      .max(KeyPermission.options.length)
      .default([])
      .describe('Permissions of a server key on the routes of its tenant. None by default.'),
  })
  .refine((key) => key.keyType !== 'public_widget' || key.boundBotId, {
    path: ['boundBotId'],
    message: 'A public_widget key must be bound to one bot.',
  })
  .refine((key) => key.keyType !== 'public_widget' || key.permissions.length === 0, {
    path: ['permissions'],
    message: 'A public_widget key can’t have permissions: it only opens anonymous sessions.',
  });
export type CreateApiKey = z.infer<typeof CreateApiKey>;

export const UpdateApiKey = z.strictObject({ name: name.optional(), expiresAt: future.optional() });
export type UpdateApiKey = z.infer<typeof UpdateApiKey>;

export const RotateApiKey = z.strictObject({
  overlapSeconds: z.int().min(0).max(604_800).default(86_400).describe('How long the old secret keeps working.'),
});

export const ApiKeyId = z.object({ id: idOf('apiKey') });

export const ApiKey = z
  .object({
    id: idOf('apiKey'),
    name: z.string(),
    keyType: KeyType,
    boundBotId: idOf('bot').nullable(),
    workspaceId: idOf('workspace').nullable(),
    environmentId: idOf('environment').nullable(),
    permissions: z.array(KeyPermission),
    status: z.enum(['active', 'rotating', 'expired', 'revoked']),
    hint: z.string().describe('Prefix and last four characters, to tell keys apart.'),
    createdAt: z.date(),
    createdBy: z.string(),
    expiresAt: z.date().nullable(),
    previousExpiresAt: z.date().nullable().describe('During a rotation: when the old secret stops working.'),
    lastUsedAt: z.date().nullable().describe('Accurate to about a minute.'),
  })
  .meta({ id: 'ApiKey' });
export type ApiKey = z.infer<typeof ApiKey>;

export const OneApiKey = z.object({ apiKey: ApiKey });
export const ApiKeys = Page(ApiKey);
export const ListApiKeys = ListQuery.extend({ keyType: KeyType.optional() });
export type ListApiKeys = z.infer<typeof ListApiKeys>;

const secret = z.string().describe('Shown only once: only a hash is stored.');
export const CreatedApiKey = OneApiKey.extend({ secret });
export const RotatedApiKey = CreatedApiKey.extend({
  previousExpiresAt: z.date().describe('When the old secret stops working.'),
});
export const ShownSecret = z.object({ secret: z.string().describe('Public: it is part of the page’s HTML.') });
