// `npm run demo:code`: the six digits that the demo's operator is asked for, as an authenticator app would show them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Secret, TOTP } from 'otpauth';
import { repository } from './processes.ts';

const { admin } = JSON.parse(readFileSync(join(repository, '.demo.json'), 'utf8')) as { admin: { totpSecret: string } };
const totp = new TOTP({ secret: Secret.fromBase32(admin.totpSecret) });
console.log(`${totp.generate()} (expires in ${Math.ceil(totp.remaining() / 1_000)} s)`);
