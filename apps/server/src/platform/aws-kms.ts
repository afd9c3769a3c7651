import { AwsV4Signer } from 'aws4fetch';
import { z } from 'zod';
import { awsCredentials } from './aws-credentials.ts';
import { callKeyService, keyFrom, keyServiceUnavailable, readJson } from './key-service.ts';
import type { KeySettings } from './key-settings.ts';
import type { KeyWrapper, WrapContext } from './master-keys.ts';
import type { SafeFetch } from './safe-fetch.ts';

const service = 'AWS KMS';
const Encrypted = z.object({ CiphertextBlob: z.base64().min(1) });
const Decrypted = z.object({ Plaintext: z.base64().min(1) });
const ErrorResponse = z.object({ __type: z.string(), message: z.string().optional(), Message: z.string().optional() });

/** The ciphertext is damaged, or was encrypted with another key or context. All other errors are temporary. */
const permanentErrors = new Set(['InvalidCiphertextException', 'IncorrectKeyException']);

/** `TrentService.Encrypt` and `.Decrypt`, with the context as encryption context: KMS authenticates it, and CloudTrail shows it. */
export function awsKmsWrapper(fetch: SafeFetch, settings: KeySettings, arn: string): KeyWrapper {
  const [, partition = '', , region = ''] = arn.split(':');
  const domain = partition === 'aws-cn' ? 'amazonaws.com.cn' : 'amazonaws.com';
  const url = settings.AWS_ENDPOINT_URL_KMS ?? `https://kms.${region}.${domain}/`;
  const credentials = awsCredentials(fetch, settings);

  async function call<T>(operation: 'Encrypt' | 'Decrypt', input: object, output: z.ZodType<T>): Promise<T> {
    const body = JSON.stringify({ KeyId: arn, ...input });
    const response = await callKeyService(fetch, service, async () => {
      const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': `TrentService.${operation}` };
      const signer = { method: 'POST', url, headers, body, service: 'kms', region, ...(await credentials()) };
      const signed = await new AwsV4Signer(signer).sign();
      return { url, method: 'POST', headers: Object.fromEntries(signed.headers), body };
    });
    const json = readJson(service, response);
    if (response.status === 200) {
      const parsed = output.safeParse(json);
      if (parsed.success) return parsed.data;
      throw keyServiceUnavailable(new Error(`${service}: unexpected response to ${operation}`));
    }
    const failure = ErrorResponse.safeParse(json).data;
    const type = failure?.__type.split('#').at(-1) ?? 'unknown';
    const error = new Error(
      `${service}: ${operation} failed with ${response.status} ${type} ${failure?.message ?? failure?.Message ?? ''}`.trim(),
    );
    throw operation === 'Decrypt' && permanentErrors.has(type) ? error : keyServiceUnavailable(error);
  }

  return {
    isRemote: true,
    wrap: async (key, context) => {
      const input = { Plaintext: key.toString('base64'), EncryptionContext: encryptionContext(context) };
      return Buffer.from((await call('Encrypt', input, Encrypted)).CiphertextBlob, 'base64');
    },
    unwrap: async (wrapped, context) => {
      const input = { CiphertextBlob: wrapped.toString('base64'), EncryptionContext: encryptionContext(context) };
      return keyFrom((await call('Decrypt', input, Decrypted)).Plaintext);
    },
  };
}

const encryptionContext = ({ tenantId, purpose, masterKeyId, version }: WrapContext) => ({
  'parley:tenant': tenantId,
  'parley:purpose': purpose,
  'parley:master-key': masterKeyId,
  'parley:version': String(version),
});
