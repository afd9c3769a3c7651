import { randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { awsKmsWrapper } from '../../src/platform/aws-kms.ts';
import { vaultWrapper } from '../../src/platform/vault-transit.ts';
import { arnOf } from './aws-kms-server.ts';
import { startKeyServer } from './server.ts';
import { signatureOf } from './sigv4.ts';
import { anAwsKms, aVault, context, fetchTo, settingsWith, unavailable } from './wrapper-fixture.ts';

describe('AWS KMS', () => {
  test('signs each request, and sends the context as encryption context', async () => {
    const { server, open } = await anAwsKms();
    const { wrap, unwrap } = open('one');
    await unwrap(await wrap(randomBytes(32), context), context);
    const sent = {
      'parley:tenant': 'ten_1',
      'parley:purpose': 'data-key',
      'parley:master-key': 'k',
      'parley:version': '1',
    };
    expect(server.calls).toEqual([
      { operation: 'Encrypt', context: sent },
      { operation: 'Decrypt', context: sent },
    ]);
  });

  test('computes the signature of the example in the AWS documentation', () => {
    const headers = { host: 'example.amazonaws.com', 'x-amz-date': '20150830T123600Z' };
    const scope = {
      secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
      region: 'us-east-1',
      service: 'service',
    };
    expect(signatureOf({ method: 'GET', path: '/', headers, body: '' }, Object.keys(headers), scope)).toBe(
      '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
    );
  });

  test('throws key_service_unavailable when the secret key is wrong, and calls nothing', async () => {
    const { server, open } = await anAwsKms({ AWS_SECRET_ACCESS_KEY: 'wrong' });
    await expect(open('one').wrap(randomBytes(32), context)).rejects.toMatchObject(unavailable);
    expect(server.calls).toEqual([]);
  });

  test('uses the role of a container, and fetches its credentials again before they expire', async () => {
    const { server } = await anAwsKms();
    const tokenFile = aFile('pod token\n');
    let lifetimeMs = 3_600_000;
    const roles = await startKeyServer(
      ({ headers }) => {
        server.account.sessionToken = randomBytes(8).toString('hex');
        const { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: Token } = server.account;
        const Expiration = new Date(Date.now() + lifetimeMs);
        const body = { AccessKeyId, SecretAccessKey, Token, Expiration };
        return headers.authorization === 'pod token' ? { status: 200, body } : { status: 403, body: {} };
      },
      { status: 500, body: {} },
    );
    onTestFinished(roles.close);
    const settings = settingsWith({
      AWS_ENDPOINT_URL_KMS: server.url,
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `${roles.url}/v1/credentials`,
      AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: tokenFile,
    });
    const open = () => awsKmsWrapper(fetchTo(server.host, roles.host), settings, arnOf('one'));
    const lasting = open();
    await lasting.unwrap(await lasting.wrap(randomBytes(32), context), context);
    expect(roles.state.requests).toBe(1);
    lifetimeMs = 60_000;
    const brief = open();
    await brief.unwrap(await brief.wrap(randomBytes(32), context), context);
    expect(roles.state.requests).toBe(3);
  });
});

describe('Vault', () => {
  test('binds the context as associated data', async () => {
    const { server, open } = await aVault();
    await open('one').wrap(randomBytes(32), context);
    expect(server.calls).toEqual([{ operation: 'encrypt', associatedData: 'ten_1|data-key|k|1' }]);
  });

  test('throws key_service_unavailable when the token is not accepted, and reads a token file before each call', async () => {
    const { server } = await aVault();
    const tokenFile = aFile('an expired token');
    const settings = settingsWith({ VAULT_ADDR: server.url, VAULT_TOKEN_FILE: tokenFile });
    const { wrap } = vaultWrapper(fetchTo(server.host), settings, 'one');
    await expect(wrap(randomBytes(32), context)).rejects.toMatchObject(unavailable);
    writeFileSync(tokenFile, `${server.access.token}\n`);
    expect((await wrap(randomBytes(32), context)).toString()).toMatch(/^vault:v1:/);
  });

  test('unwraps with an older version of its key after Vault has rotated it', async () => {
    const { server, open } = await aVault();
    const { wrap, unwrap } = open('one');
    const key = randomBytes(32);
    const wrapped = await wrap(key, context);
    server.rotate('one');
    expect((await wrap(key, context)).toString()).toMatch(/^vault:v2:/);
    expect(await unwrap(wrapped, context)).toEqual(key);
  });
});

function aFile(text: string): string {
  const path = join(mkdtempSync(join(tmpdir(), 'parley-')), 'token');
  writeFileSync(path, text);
  return path;
}
