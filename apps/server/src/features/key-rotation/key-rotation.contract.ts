import { z } from 'zod';
import { idOf } from '../../platform/ids.contract.ts';
import { ListQuery, Page } from '../../platform/lists.contract.ts';

const reason = z.string().trim().min(3).max(500).describe('Recorded in the operators’ audit log.');
const Signer = z
  .enum(['customer', 'admin', 'assertions'])
  .describe('What the key signs for: a user pool, or end-user assertions sent to tenants.');

const SigningKey = z
  .object({
    kid: z.string(),
    state: z
      .enum(['next', 'signing', 'retired'])
      .describe(
        '`next`: published, not signing yet. `signing`: in use. `retired`: still published to verify what it signed.',
      ),
    since: z.date().describe('When it starts signing.'),
    until: z.date().nullable().describe('When the next key takes over, or when this one is planned to be unpublished.'),
  })
  .meta({ id: 'SigningKey' });

const MasterKey = z
  .object({
    id: z.string(),
    isCurrent: z.boolean().describe('Encrypts new secrets.'),
    isKnownHere: z.boolean().describe('Listed in MASTER_KEYS of the process that handled this request.'),
    dataKeys: z.int().describe('Number of tenant data keys still encrypted with it.'),
    platformSecrets: z.int().describe('Number of signing keys and two-factor secrets still encrypted with it.'),
    isRemovable: z.boolean().describe('Nothing is encrypted with it any more: it can be removed from MASTER_KEYS.'),
  })
  .meta({ id: 'MasterKey' });

const Process = z
  .object({
    role: z.enum(['api', 'worker']),
    host: z.string(),
    pid: z.int(),
    startedAt: z.string(),
    masterKeys: z.array(z.string()).describe('Ids only. The first one encrypts.'),
    isReady: z.boolean().describe('Encrypts with the current master key.'),
  })
  .meta({ id: 'KeyProcess' });

const RotationStatus = z.enum(['counting', 'encrypting', 'waiting', 'removing', 'finished', 'cancelled']);

export const KeyRotation = z
  .object({
    id: idOf('keyRotation'),
    status: RotationStatus.describe(
      'Counting, re-encrypting, waiting for readers of old secrets, removing old keys; or ended.',
    ),
    masterKeyId: z.string().describe('The master key that everything is encrypted with afterwards.'),
    reason: z.string(),
    startedBy: z.string(),
    startedAt: z.date(),
    tenants: z.object({ done: z.int(), total: z.int() }),
    secrets: z.object({ done: z.int(), total: z.int() }),
    failures: z.int().describe('Secrets that could not be decrypted. They are left unchanged, under their old key.'),
    problem: z.string().nullable().describe('Why it is blocked, and what to do.'),
    finishedAt: z.date().nullable(),
  })
  .meta({ id: 'KeyRotation' });
export type KeyRotation = z.infer<typeof KeyRotation>;

export const Keys = z.object({
  signing: z.array(z.object({ of: Signer, keys: z.array(SigningKey) })),
  masterKeys: z.array(MasterKey),
  processes: z.array(Process).nullable().describe('null if the running processes are not known.'),
  running: KeyRotation.nullable().describe('The rotation in progress.'),
});

export const RotateSigningKey = z.strictObject({
  of: Signer,
  isEmergency: z
    .boolean()
    .default(false)
    .describe(
      'Takes effect immediately: everything signed with the old keys becomes invalid. Otherwise, the new key starts signing in a day.',
    ),
  reason,
});
export type RotateSigningKey = z.infer<typeof RotateSigningKey>;
export const RotatedSigningKey = z.object({ of: Signer, keys: z.array(SigningKey) });

export const StartRotation = z.strictObject({ reason });
export const OneRotation = z.object({ keyRotation: KeyRotation });
export const RotationId = z.object({ id: idOf('keyRotation') });
export const ListRotations = ListQuery;
export const Rotations = Page(KeyRotation);
