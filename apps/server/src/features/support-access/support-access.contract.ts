import { z } from 'zod';
import { idOf } from '../../platform/ids.contract.ts';

export const SupportPolicy = z.enum(['never', 'ask', 'allowed']);
export type SupportPolicy = z.infer<typeof SupportPolicy>;

export const SupportRequest = z
  .object({
    id: idOf('supportRequest'),
    operatorName: z.string(),
    reason: z.string(),
    status: z.enum(['open', 'approved', 'declined', 'expired']),
    createdAt: z.date(),
    decidedAt: z.date().nullable(),
    expiresAt: z.date().nullable().describe('When the approval expires.'),
  })
  .meta({ id: 'SupportRequest' });
export type SupportRequest = z.infer<typeof SupportRequest>;

export const SupportAccess = z
  .object({
    policy: SupportPolicy.describe('`ask`: an owner approves each request. This is the default.'),
    requests: z.array(SupportRequest).describe('The latest 20.'),
  })
  .meta({ id: 'SupportAccess' });

export const ChangeSupportAccess = z.strictObject({ policy: SupportPolicy });
export const SupportRequestId = z.object({ id: idOf('supportRequest') });
export const ApproveSupport = z.strictObject({
  hours: z.int().min(1).max(72).default(24).describe('How long the approval lasts.'),
});
export const OneSupportRequest = z.object({ request: SupportRequest });

export const TenantId = z.object({ id: idOf('tenant') });
export const RequestSupportAccess = z.strictObject({
  reason: z.string().trim().min(3).max(500).describe('Shown to the tenant’s owners, with your name.'),
});
