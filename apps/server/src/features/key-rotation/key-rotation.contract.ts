import { z } from 'zod';
import { idOf } from '../../platform/ids.contract.ts';
import { ListQuery, Page } from '../../platform/lists.contract.ts';

const reason = z.string().trim().min(3).max(500).describe('Stands in the audit log of the operators.');
const Signer = z
  .enum(['customer', 'admin', 'assertions'])
  .describe('What signs: a pool of people, or what vouches for signed-in people towards tenants.');

const SigningKey = z
  .object({
    kid: z.string(),
    state: z
      .enum(['next', 'signing', 'retired'])
      .describe('Published and not signing yet; signing; or still published for what it signed.'),
    since: z.date().describe('When it signs from.'),
    until: z.date().nullable().describe('When the next one takes over, or when it is no longer published, as planned.'),
  })
  .meta({ id: 'SigningKey' });

const MasterKey = z
  .object({
    id: z.string(),
    isCurrent: z.boolean().describe('Seals what is sealed from now on.'),
    isKnownHere: z.boolean().describe('Stands in MASTER_KEYS of the process that answers.'),
    dataKeys: z.int().describe('How many data keys of tenants it still seals.'),
    platformSecrets: z.int().describe('How many signing keys and second factors it still seals.'),
    isRemovable: z.boolean().describe('It seals nothing any more: it can be taken out of MASTER_KEYS.'),
  })
  .meta({ id: 'MasterKey' });

const Process = z
  .object({
    role: z.enum(['api', 'worker']),
    host: z.string(),
    pid: z.int(),
    startedAt: z.string(),
    masterKeys: z.array(z.string()).describe('Ids only. The first one seals.'),
    isReady: z.boolean().describe('Seals with the current master key.'),
  })
  .meta({ id: 'KeyProcess' });

const RotationStatus = z.enum(['counting', 'sealing', 'waiting', 'removing', 'finished', 'cancelled']);

export const KeyRotation = z
  .object({
    id: idOf('keyRotation'),
    status: RotationStatus.describe(
      'Counting what there is, sealing it anew, waiting for those who still read what was, removing old keys; or over.',
    ),
    masterKeyId: z.string().describe('What everything is sealed by in the end.'),
    reason: z.string(),
    startedBy: z.string(),
    startedAt: z.date(),
    tenants: z.object({ done: z.int(), total: z.int() }),
    secrets: z.object({ done: z.int(), total: z.int() }),
    failures: z.int().describe('Secrets that did not open. They stay as they were, with the key that sealed them.'),
    problem: z.string().nullable().describe('Why it stands still, and what to do.'),
    finishedAt: z.date().nullable(),
  })
  .meta({ id: 'KeyRotation' });
export type KeyRotation = z.infer<typeof KeyRotation>;

export const Keys = z.object({
  signing: z.array(z.object({ of: Signer, keys: z.array(SigningKey) })),
  masterKeys: z.array(MasterKey),
  processes: z.array(Process).nullable().describe('null while nobody knows which run.'),
  running: KeyRotation.nullable().describe('The rotation that runs.'),
});

export const TurnSigningKey = z.strictObject({
  of: Signer,
  isEmergency: z
    .boolean()
    .default(false)
    .describe('At once: what the old ones signed is worth nothing from now on. Else the new one signs in a day.'),
  reason,
});
export type TurnSigningKey = z.infer<typeof TurnSigningKey>;
export const TurnedSigningKey = z.object({ of: Signer, keys: z.array(SigningKey) });

export const BeginRotation = z.strictObject({ reason });
export const OneRotation = z.object({ keyRotation: KeyRotation });
export const RotationId = z.object({ id: idOf('keyRotation') });
export const ListRotations = ListQuery;
export const Rotations = Page(KeyRotation);
