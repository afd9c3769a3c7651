import { z } from 'zod';
import { parseMasterKeys } from './master-keys.ts';
import { secret } from './secret-files.ts';

const text = z.string().min(1).optional();

/** Settings of the keys that encrypt secrets at rest. */
export const keySettings = {
  MASTER_KEYS: secret(
    z
      .string()
      .min(1)
      .superRefine((keys, ctx) => {
        try {
          parseMasterKeys(keys);
        } catch (error) {
          ctx.addIssue(error instanceof Error ? error.message : 'is not valid');
        }
      }),
  ).describe(
    'Keys that encrypt secrets at rest, comma-separated: `id:base64 of 32 bytes` for a local key, `id:awskms:<key ARN>` for AWS KMS, `id:vault:<key name>` for a transit key in HashiCorp Vault. The first key encrypts, all of them decrypt. To rotate: add a new key with a new id in first position, restart, run `parley-server secrets rewrap`, then remove the old key.',
  ),
  AWS_ACCESS_KEY_ID: text.describe(
    'AWS KMS credentials, together with AWS_SECRET_ACCESS_KEY. They need `kms:Encrypt` and `kms:Decrypt` for the keys in MASTER_KEYS. Not needed where the container has a role.',
  ),
  AWS_SECRET_ACCESS_KEY: secret(text).describe('Secret for AWS_ACCESS_KEY_ID.'),
  AWS_SESSION_TOKEN: secret(text).describe('Session token of temporary credentials. Not renewed.'),
  AWS_CONTAINER_CREDENTIALS_FULL_URI: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(
      "URL of the container's role credentials; set by EKS Pod Identity. Add its host to EGRESS_OPEN_HOSTS, as it is private.",
    ),
  AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: z
    .string()
    .startsWith('/')
    .optional()
    .describe('The same, set by Amazon ECS. Add `169.254.170.2` to EGRESS_OPEN_HOSTS.'),
  AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: z
    .string()
    .optional()
    .describe('File with the token for AWS_CONTAINER_CREDENTIALS_FULL_URI, read before each use.'),
  AWS_ENDPOINT_URL_KMS: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(
      'Custom AWS KMS endpoint, such as a VPC endpoint. Defaults to the public endpoint of the region in the key ARN.',
    ),
  VAULT_ADDR: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('URL of Vault (1.13 or newer) or OpenBao. Add a private host to EGRESS_OPEN_HOSTS.'),
  VAULT_TOKEN: text.describe(
    'Vault token with `update` on `<mount>/encrypt/<key>` and `<mount>/decrypt/<key>`. Not renewed.',
  ),
  VAULT_TOKEN_FILE: z
    .string()
    .optional()
    .describe('File with the Vault token, read before each call, so that a Vault Agent can renew it.'),
  VAULT_NAMESPACE: z.string().optional().describe('Vault Enterprise namespace.'),
  VAULT_TRANSIT_MOUNT: z
    .string()
    .regex(/^[\w.-]+(\/[\w.-]+)*$/, 'Must be a path without leading or trailing slashes.')
    .default('transit')
    .describe('Mount path of Vault Transit.'),
};
export type KeySettings = z.infer<z.ZodObject<typeof keySettings>>;
