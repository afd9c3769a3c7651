// `npm run demo:code`: the two-factor code of the demo's platform admin, as an authenticator app would show it.
import { Secret, TOTP } from 'otpauth';
import { readDemo } from './read-demo.ts';

const totp = new TOTP({ secret: Secret.fromBase32(readDemo().admin.totpSecret) });
console.log(`${totp.generate()} (expires in ${Math.ceil(totp.remaining() / 1_000)} s)`);
