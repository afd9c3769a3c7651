import { z } from 'zod';
import { asSystem, inTenant, type Context, type Services } from '../../platform/context.ts';
import { decrypt, sha256 } from '../../platform/crypto.ts';
import { forbidden, invalid, unauthorized } from '../../platform/errors.ts';
import type { GuardDeps } from '../../platform/http/guard.ts';
import { runOnce, readIdempotencyKey } from '../../platform/http/idempotency.ts';
import type { SignedCall } from '../../platform/http/route.ts';
import { idOf } from '../../platform/ids.contract.ts';
import { isStorable } from '../../platform/storable.ts';
import { checkSignature } from './delivery/signature.ts';
import { inboundSecretContext } from './endpoints/targets.ts';
import * as store from './endpoints/webhooks.store.ts';

/** A command that a tenant's system can send. Each feature defines its own. */
export interface Command {
  data: z.ZodType;
  run(ctx: Context, data: never): Promise<{ id: string }>;
}
export type Commands = Readonly<Record<string, Command>>;

export const InboundResponse = z.object({
  result: z.object({ type: z.string(), id: z.string().describe('What was created or changed.') }),
});
export const inboundBody = (commands: Commands) =>
  z.discriminatedUnion(
    'type',
    Object.entries(commands).map(([type, { data }]) => z.strictObject({ type: z.literal(type), data })) as never,
  );

const TenantId = idOf('tenant');
const WebhookId = idOf('webhook');
const signatureRejected = (reason: string) =>
  unauthorized(reason, 'The request is not signed with this endpoint’s inbound secret, or its timestamp is too old.');

/** Compared when the endpoint doesn't exist, so that the response time doesn't reveal it. */
const dummySecret = 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=';

interface InboundDeps {
  services: Services;
  tenantState: GuardDeps['tenantState'];
  commands: Commands;
}

/** Checks the signature and the timestamp before anything else of the request is read. */
export const receive =
  ({ services, tenantState, commands }: InboundDeps) =>
  async ({ headers, bytes }: SignedCall): Promise<z.input<typeof InboundResponse>> => {
    const text = (name: string) => (typeof headers[name] === 'string' ? headers[name] : '');
    const tenant = TenantId.safeParse(text('x-service-tenant-id'));
    const webhook = WebhookId.safeParse(text('x-service-webhook-id'));
    const secret =
      tenant.success && webhook.success
        ? await inTenant(services, asSystem(tenant.data, 'inbound'), (ctx) => secretOf(ctx, webhook.data))
        : undefined;
    const signed = { signature: text('x-service-signature'), timestamp: text('x-service-timestamp') };
    const problem = checkSignature([secret ?? dummySecret], signed, bytes, new Date());
    if (problem) throw signatureRejected(problem);
    if (!tenant.success || !webhook.success || secret === undefined) throw signatureRejected('signature_mismatch');

    const { status, features } = await tenantState(tenant.data);
    if (status !== 'active') throw forbidden('tenant_suspended', 'This tenant is suspended.');
    if (!features.has('webhooks')) throw forbidden('entitlement_missing', "Your plan does not include 'webhooks'.");
    const key = readIdempotencyKey(headers['idempotency-key']);
    if (key === undefined)
      throw invalid('idempotency_key_missing', [{ path: '/headers/idempotency-key', message: 'Missing.' }]);
    const { type, command, data } = read(commands, bytes);

    const repeat = {
      key: `inbound:${sha256(`${webhook.data} ${key}`).toString('hex')}`, // hashed: keys can be 255 characters long, and must not collide between endpoints
      requestHash: sha256(bytes.toString('latin1')),
      toStoredResponse: (result: unknown) => ({ status: 200, body: JSON.stringify(result) }),
    };
    return inTenant(services, asSystem(tenant.data, webhook.data), (ctx) =>
      runOnce(ctx, repeat, async () => ({ result: { type, id: (await command.run(ctx, data as never)).id } })),
    );
  };

async function secretOf(ctx: Context, webhookId: string): Promise<string | undefined> {
  const encrypted = await store.inboundSecretOf(ctx.tx, webhookId);
  return encrypted ? decrypt(ctx, inboundSecretContext(webhookId), encrypted) : undefined;
}

const Call = z.strictObject({ type: z.string().max(100), data: z.unknown() });

function read(commands: Commands, bytes: Buffer) {
  let parsed: unknown;
  try {
    parsed = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw invalid('invalid_json', [{ path: '/', message: 'The body is not JSON.' }]);
  }
  if (!isStorable(parsed))
    throw invalid('malformed_value', [
      { path: '/', message: 'Contains a null character or an unpaired surrogate, or is nested too deeply.' },
    ]);
  const call = Call.safeParse(parsed);
  if (!call.success) throw invalid('invalid_body', [{ path: '/', message: 'Send { type, data }.' }]);
  const { type } = call.data;
  const command = Object.hasOwn(commands, type) ? commands[type] : undefined;
  if (!command)
    throw invalid('unknown_type', [{ path: '/type', message: `Must be one of: ${Object.keys(commands).join(', ')}.` }]);
  const data = command.data.safeParse(call.data.data);
  if (!data.success)
    throw invalid(
      'invalid_body',
      data.error.issues.slice(0, 20).map(({ path, message }) => ({ path: `/data/${path.join('/')}`, message })),
    );
  return { type, command, data: data.data };
}
