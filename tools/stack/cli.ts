// `npm run stack`: PostgreSQL, Valkey and Restate for development, until Ctrl-C.
import { startStack } from './index.ts';

const stack = await startStack('dev', { keep: true });
console.log(`PostgreSQL       ${stack.postgres.adminUrl}
Valkey           ${stack.valkey.url}
Restate ingress  ${stack.restate.ingressUrl}
Restate admin    ${stack.restate.adminUrl}
Restate identity ${stack.restate.identityKey}
Data             ${stack.dir}
Stop with Ctrl-C.`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void stack.stop().then(() => process.exit(0)));
}
