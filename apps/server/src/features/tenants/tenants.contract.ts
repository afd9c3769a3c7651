import { z } from 'zod';
import { idOf } from '../../platform/ids.contract.ts';
import { nameOf } from '../../platform/names.contract.ts';
import { PlanName } from '../entitlements/entitlements.contract.ts';
import { Invitation, InviteOwner } from '../members/members.contract.ts';
import { ListQuery } from '../../platform/lists.contract.ts';

export const TenantStatus = z.enum(['active', 'suspended', 'deleted']);
export type TenantStatus = z.infer<typeof TenantStatus>;

export const Tenant = z
  .object({
    id: idOf('tenant'),
    name: z.string(),
    plan: z.string(),
    status: TenantStatus,
    apiVersion: z.string(),
    createdAt: z.date(),
  })
  .meta({ id: 'Tenant' });
export type Tenant = z.infer<typeof Tenant>;
export const OneTenant = z.object({ tenant: Tenant });
export const TenantId = z.object({ id: idOf('tenant') });
export const RenameTenant = z.strictObject({ name: nameOf(120) });
export const DeleteTenant = z.strictObject({
  name: z.string().max(120).describe('The exact name of your tenant, to confirm that you mean this one.'),
});
export const Reason = z.strictObject({
  reason: z.string().trim().min(3).max(500).describe('Recorded in the tenant’s audit log.'),
});
export const DeletedTenant = z.object({
  tenant: Tenant,
  erasedAfter: z.date().describe('Until then, the operator of this service can restore it.'),
});

export const CreateTenant = z.strictObject({
  name: nameOf(120),
  plan: PlanName.default('free'),
  owner: InviteOwner.optional().describe('The first owner. They are invited by email.'),
});
export type CreateTenant = z.infer<typeof CreateTenant>;

export const Workspace = z
  .object({ id: idOf('workspace'), name: z.string(), createdAt: z.date() })
  .meta({ id: 'Workspace' });
export type Workspace = z.infer<typeof Workspace>;
export const OneWorkspace = z.object({ workspace: Workspace });
export const WorkspaceId = z.object({ id: idOf('workspace') });
export const NameWorkspace = z.strictObject({ name: nameOf(80) });

export const Environment = z
  .object({ id: idOf('environment'), workspaceId: idOf('workspace'), name: z.string(), createdAt: z.date() })
  .meta({ id: 'Environment' });
export type Environment = z.infer<typeof Environment>;
export const OneEnvironment = z.object({ environment: Environment });
export const EnvironmentId = z.object({ id: idOf('environment') });
export const CreateEnvironment = z.strictObject({ workspaceId: idOf('workspace'), name: nameOf(80) });
export const RenameEnvironment = z.strictObject({ name: nameOf(80) });
export const ListEnvironments = ListQuery.extend({ workspaceId: idOf('workspace').optional() });

export const NewTenant = z.object({
  tenant: Tenant,
  workspace: Workspace,
  environments: z.array(Environment),
  invitation: Invitation.optional().describe('The owner’s invitation, if you set an owner.'),
});
