import { randomBytes } from 'node:crypto';
import { decryptAesGcm, encryptAesGcm } from '../../src/platform/aes-gcm.ts';
import { startKeyServer, type KeyRequest, type KeyResponse } from './server.ts';
import { signatureProblem } from './sigv4.ts';

interface Body {
  KeyId?: string;
  Plaintext?: string;
  CiphertextBlob?: string;
  EncryptionContext?: Record<string, string>;
}

export const region = 'eu-central-1';
export const arnOf = (name: string) => `arn:aws:kms:${region}:111122223333:key/${name}`;

/** Implements the JSON protocol of AWS KMS: `TrentService.Encrypt` and `.Decrypt`, signed, with an encryption context. */
export async function startAwsKms(keyNames: readonly string[]) {
  const keys = new Map(keyNames.map((name) => [arnOf(name), randomBytes(32)]));
  const account = {
    accessKeyId: 'AKIAPARLEYTEST',
    secretAccessKey: randomBytes(20).toString('hex'),
    sessionToken: undefined as string | undefined,
    region,
    service: 'kms',
  };
  const calls: { operation: string; context: Record<string, string> }[] = [];

  function respond(request: KeyRequest): KeyResponse {
    const problem = signatureProblem(request, account);
    if (problem) return failed(problem);
    if (request.headers['content-type'] !== 'application/x-amz-json-1.1') return failed('SerializationException');
    const operation = String(request.headers['x-amz-target']).replace('TrentService.', '');
    const {
      KeyId = '',
      Plaintext = '',
      CiphertextBlob = '',
      EncryptionContext = {},
    } = JSON.parse(request.body) as Body;
    calls.push({ operation, context: EncryptionContext });
    const key = keys.get(KeyId);
    if (!key) return failed('NotFoundException');
    const boundTo = Buffer.from(JSON.stringify(EncryptionContext, Object.keys(EncryptionContext).toSorted()));
    const metadata = { KeyId, EncryptionAlgorithm: 'SYMMETRIC_DEFAULT' };
    if (operation === 'Encrypt') {
      const box = encryptAesGcm(key, Buffer.from(Plaintext, 'base64'), boundTo);
      const blob = Buffer.concat([Buffer.from(`${KeyId}\n`), box]);
      return { status: 200, body: { ...metadata, CiphertextBlob: blob.toString('base64') } };
    }
    if (operation !== 'Decrypt') return failed('UnknownOperationException');
    const blob = Buffer.from(CiphertextBlob, 'base64');
    const end = blob.indexOf('\n');
    const encryptedBy = blob.subarray(0, end).toString();
    if (!keys.has(encryptedBy)) return failed('InvalidCiphertextException');
    if (encryptedBy !== KeyId) return failed('IncorrectKeyException');
    try {
      const plain = decryptAesGcm(key, blob.subarray(end + 1), boundTo);
      return { status: 200, body: { ...metadata, Plaintext: plain.toString('base64') } };
    } catch {
      return failed('InvalidCiphertextException');
    }
  }

  const server = await startKeyServer(respond, failed('KMSInternalException', 500));
  return {
    ...server,
    account,
    calls,
    settings: {
      AWS_ENDPOINT_URL_KMS: server.url,
      AWS_ACCESS_KEY_ID: account.accessKeyId,
      AWS_SECRET_ACCESS_KEY: account.secretAccessKey,
    },
  };
}

const failed = (type: string, status = 400): KeyResponse => ({ status, body: { __type: type } });
