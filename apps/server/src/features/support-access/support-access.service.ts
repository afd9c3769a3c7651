import type { Context } from '../../platform/context.ts';
import { conflict, forbidden, orNotFound } from '../../platform/errors.ts';
import { emit } from '../../platform/events.ts';
import { newId } from '../../platform/ids.ts';
import { queueEmail } from '../../platform/emails.ts';
import { listMembersWithPermission } from '../members/index.ts';
import type { SupportPolicy } from './support-access.contract.ts';
import * as events from './support-access.events.ts';
import * as store from './support-access.store.ts';

export const supportEmail = 'support-access';

export const readSupportAccess = async ({ tx }: Context) => ({
  policy: await store.policyOf(tx),
  requests: await store.listRequests(tx),
});

export async function changePolicy(ctx: Context, policy: SupportPolicy) {
  const previous = await store.policyOf(ctx.tx);
  if (previous !== policy) {
    await store.setPolicy(ctx.tx, policy);
    await emit(ctx, events.supportPolicyChanged, ctx.tenantId, { object: { policy }, previous: { policy: previous } });
  }
  return readSupportAccess(ctx);
}

/** Asks the owners for access, with one email each. */
export async function requestAccess(ctx: Context, operatorName: string, reason: string) {
  const policy = await store.policyOf(ctx.tx);
  if (policy === 'never') throw neverAllowed();
  if (policy === 'allowed')
    throw conflict(
      'support_access_already_allowed',
      'This tenant always allows support access, so you don’t need to ask.',
    );
  const operatorId = ctx.actor.id;
  const openRequest = await store.findOpen(ctx.tx, operatorId);
  if (openRequest) return { request: openRequest };
  const id = newId('supportRequest');
  await store.insertRequest(ctx.tx, { id, operatorId, operatorName, reason });
  const request = orNotFound('support_request', await store.findRequest(ctx.tx, id));
  for (const { email } of await listMembersWithPermission(ctx, 'support_access.manage'))
    await queueEmail(ctx.tx, supportEmail, email, { tenantId: ctx.tenantId, operatorName, reason });
  await emit(ctx, events.supportRequested, id, { object: request });
  return { request };
}

export const approve = (ctx: Context, id: string, hours: number) =>
  decide(ctx, id, 'approved', new Date(ctx.now.getTime() + hours * 3_600_000));
/** Also withdraws an approval. */
export const decline = (ctx: Context, id: string) => decide(ctx, id, 'declined', null);

async function decide(ctx: Context, id: string, status: 'approved' | 'declined', expiresAt: Date | null) {
  const change = { status, decidedBy: ctx.actor.id, decidedAt: ctx.now, expiresAt };
  const decided = await store.decide(ctx.tx, id, change);
  const request = orNotFound('support_request', await store.findRequest(ctx.tx, id));
  if (!decided) throw conflict('request_already_decided', 'This request has already been decided.');
  const event = status === 'approved' ? events.supportApproved : events.supportDeclined;
  await emit(ctx, event, id, { object: request });
  return { request };
}

/** Call it in the transaction that starts the impersonation. */
export async function assertSupportAccess({ tx }: Context, operatorId: string): Promise<void> {
  const policy = await store.policyOf(tx);
  if (policy === 'never') throw neverAllowed();
  if (policy === 'ask' && !(await store.hasApproval(tx, operatorId)))
    throw forbidden(
      'support_access_required',
      'An owner of this tenant must approve this first. Request support access.',
    );
}

const neverAllowed = () => forbidden('support_access_disabled', 'This tenant does not allow support access.');
