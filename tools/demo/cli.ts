// `npm run demo:cli -- events --limit 5`: the command line with the API key of the demo's tenant.
import { run } from '../../packages/cli/src/program.ts';
import { readDemo } from './read-demo.ts';

const { apiUrl, serverKeyId, serverKey } = readDemo();
Object.assign(process.env, { PARLEY_API_URL: apiUrl, PARLEY_KEY_ID: serverKeyId, PARLEY_KEY: serverKey });
await run(process.argv);
