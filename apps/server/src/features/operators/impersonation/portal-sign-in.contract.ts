import { z } from 'zod';
import { idOf } from '../../../platform/ids.contract.ts';

// An operator enters the customer portal with a code that works once and expires in a minute, so that a URL never
// contains a token.

export const ImpersonationLink = z
  .object({
    impersonationUrl: z.string().describe('Open it in a browser. Works once and expires in one minute.'),
    expiresIn: z.int().describe('Seconds until it expires.'),
  })
  .meta({ id: 'ImpersonationLink' });

export const ImpersonationCode = z.strictObject({ code: z.string().min(1).max(100) });

export const ImpersonationPreview = z
  .object({
    operatorName: z.string(),
    name: z.string().describe('Who is being impersonated.'),
    email: z.string(),
    tenantName: z.string(),
    reason: z.string(),
  })
  .meta({ id: 'ImpersonationPreview' });

export const RunningImpersonation = z
  .object({
    sessionId: idOf('session'),
    userId: idOf('user'),
    name: z.string().describe('Who is being impersonated.'),
    operatorName: z.string(),
    reason: z.string(),
    startedAt: z.date(),
    expiresAt: z.date(),
  })
  .meta({ id: 'RunningImpersonation' });
export type RunningImpersonation = z.infer<typeof RunningImpersonation>;
export const RunningImpersonations = z.object({ data: z.array(RunningImpersonation), nextCursor: z.null() });

export const TenantImpersonation = RunningImpersonation.extend({
  tenantId: idOf('tenant'),
  operatorId: z.string(),
}).meta({ id: 'TenantImpersonation' });
export type TenantImpersonation = z.infer<typeof TenantImpersonation>;
export const TenantImpersonations = z.object({ data: z.array(TenantImpersonation), nextCursor: z.null() });
export const ListImpersonations = z.strictObject({ tenantId: idOf('tenant').optional() });
