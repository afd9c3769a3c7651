import type { Config } from '../../platform/config.ts';
import { asSystem, inTenant, type Services } from '../../platform/context.ts';
import type { Id } from '../../platform/ids.contract.ts';
import { plainName, renderEmail } from '../../platform/email-layout.ts';
import type { EmailRenderers } from '../../platform/emails.ts';
import { supportEmail } from './support-access.service.ts';
import { findTenantName } from './support-access.store.ts';

/** The link opens the portal, where an owner must sign in to decide. The email itself grants nothing. */
export const supportEmails = (services: Services, { PORTAL_URL }: Pick<Config, 'PORTAL_URL'>): EmailRenderers => ({
  [supportEmail]: async ({ data }) => {
    const caller = asSystem(data['tenantId'] as Id<'tenant'>, 'emails');
    const tenant = await inTenant(services, caller, ({ tx }) => findTenantName(tx), { readOnly: true });
    if (!tenant) return null;
    const url = PORTAL_URL && new URL('/organisation/settings', PORTAL_URL).href;
    return renderEmail({
      locale: 'en',
      subject: `Parley support requests access to ${plainName(tenant.name)}`,
      greeting: 'Hi,',
      paragraphs: [
        `${plainName(String(data['operatorName']))} from Parley support is asking to impersonate a member of ${plainName(tenant.name)}, which means using the portal as that person.`,
        `Reason: ${plainName(String(data['reason']))}`,
        'Approve or decline the request in your organisation settings. Approved access expires automatically, and everything done with it is recorded in your audit log.',
      ],
      ...(url && { button: { label: 'Review request', url } }),
      footnotes: ['No one gets access unless an owner approves it.'],
    });
  },
});
