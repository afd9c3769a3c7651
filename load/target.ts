import { readFileSync } from 'node:fs';
import { z } from 'zod';

// What a run needs to know about a deployment: a file like `.demo.json`, or one with several tenants.

const Tenant = z.object({
  tenantId: z.string(),
  botId: z.string(),
  publicKey: z.string(),
  /** Reads the event feed, to find events that were not delivered. */
  serverKey: z.string().optional(),
  serverKeyId: z.string().optional(),
  /** Of an endpoint whose URL is the receiver of this run. */
  webhookSecret: z.string().optional(),
  /** Someone who signs in to the portal. */
  customer: z.object({ email: z.string(), password: z.string() }).optional(),
});
export type Tenant = z.infer<typeof Tenant>;

const Target = z.object({
  apiUrl: z.url(),
  portalUrl: z.url().optional(),
  /** An origin that the bots allow. */
  siteUrl: z.url(),
  tenants: z.array(Tenant).min(1),
  /** `/metrics` of processes, by name. */
  metrics: z.record(z.string(), z.url()).default({}),
  metricsToken: z.string().optional(),
  /** Where endpoints of these tenants deliver to: this run listens there with HTTPS. */
  receiver: z.object({ host: z.string(), ip: z.string().default('0.0.0.0'), port: z.int() }).optional(),
});
export type Target = z.infer<typeof Target>;

/** `.demo.json` describes one tenant without a list. */
export function readTarget(file: string, apiUrl?: string): Target {
  const content = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  // The demo has its own receiver, which this run can't read.
  const tenants = content['tenants'] ?? [{ ...content, webhookSecret: undefined }];
  const parsed = Target.safeParse({ ...content, tenants, ...(apiUrl && { apiUrl }) });
  if (!parsed.success) throw new Error(`${file} does not describe a deployment:\n${z.prettifyError(parsed.error)}`);
  return parsed.data;
}
