import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { UnsafeConfig } from './config.ts';
import type { KeySettings } from './key-settings.ts';
import type { SafeFetch } from './safe-fetch.ts';

interface AwsCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

const ContainerCredentials = z.object({
  AccessKeyId: z.string(),
  SecretAccessKey: z.string(),
  Token: z.string(),
  Expiration: z.coerce.date(),
});

/** How long before expiry credentials are fetched again. */
const renewBeforeMs = 5 * 60_000;

/** Static credentials from the configuration, or those of the container's role, which are renewed before they expire. */
export function awsCredentials(fetch: SafeFetch, settings: KeySettings): () => Promise<AwsCredentials> {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = settings;
  const { AWS_SESSION_TOKEN: sessionToken, AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: tokenFile } = settings;
  if (accessKeyId && secretAccessKey) {
    const credentials = { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
    return async () => credentials;
  }
  const path = settings.AWS_CONTAINER_CREDENTIALS_RELATIVE_URI;
  const url = settings.AWS_CONTAINER_CREDENTIALS_FULL_URI ?? (path && `http://169.254.170.2${path}`);
  if (!url) throw new UnsafeConfig('MASTER_KEYS uses AWS KMS: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.');

  let cached: { credentials: AwsCredentials; until: number } | undefined;
  return async () => {
    if (cached && Date.now() < cached.until) return cached.credentials;
    const authorization = tokenFile && (await readFile(tokenFile, 'utf8')).trim();
    const response = await fetch({
      url,
      headers: authorization ? { authorization } : {},
      timeouts: { totalMs: 2_000 },
    });
    if (response.status !== 200) throw new Error(`Fetching container credentials failed: HTTP ${response.status}`);
    const { AccessKeyId, SecretAccessKey, Token, Expiration } = ContainerCredentials.parse(
      JSON.parse(response.body.toString('utf8')),
    );
    const credentials = { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: Token };
    cached = { credentials, until: Expiration.getTime() - renewBeforeMs };
    return credentials;
  };
}
