import { z } from 'zod';

// The service validates and normalizes domains and ranges.
const domain = z.string().max(253);
const ipRange = z.string().max(64);

const fields = {
  requireTwoFactor: z.boolean().describe('Members without two-factor authentication can only set it up and sign out.'),
  allowedEmailDomains: z
    .array(domain)
    .max(100)
    .describe('Who can be invited and join: exactly these domains, without their subdomains. Empty: any.'),
  maxSessionHours: z
    .int()
    .min(1)
    .max(2_160)
    .nullable()
    .describe(
      'So long after members last proved who they are, they sign in again. null: as long as the service allows.',
    ),
  memberIpRanges: z
    .array(ipRange)
    .max(100)
    .describe('IP addresses or CIDR ranges that members may come from. Empty: any.'),
  serverKeyIpRanges: z
    .array(ipRange)
    .max(100)
    .describe('IP addresses or CIDR ranges that server keys may be used from. Empty: any.'),
};

export const Policies = z.object(fields).meta({ id: 'Policies' });
export type Policies = z.infer<typeof Policies>;

export const ChangePolicies = z.strictObject(fields).partial();
export type ChangePolicies = z.infer<typeof ChangePolicies>;

export const PoliciesOfTenant = z.object({
  policies: Policies,
  membersOutsideDomains: z.int().describe('Members whose email domain is not allowed. They keep their access.'),
  yourIp: z.string().describe('Your IP address as the service sees it.'),
});
