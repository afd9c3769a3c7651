// `npm run bench -- keys`: ratios within one run, so that they are comparable between machines.
import { actions } from './actions.ts';
import { chatScale } from './chat-scale.ts';
import { chat } from './chat.ts';
import { chores } from './chores.ts';
import { largeTenant } from './conversations.ts';
import { erasure } from './erasure.ts';
import { ids } from './ids.ts';
import { inbox } from './inbox.ts';
import { keys } from './keys.ts';
import { login } from './login.ts';
import { memory } from './memory.ts';
import { sdk } from './sdk.ts';
import { sizing } from './sizing.ts';
import { sweeper } from './sweeper.ts';
import { tenants } from './tenants.ts';
import { webhooksScale } from './webhooks-scale.ts';
import { webhooks } from './webhooks.ts';
import { widget } from './widget.ts';

const benches: Record<string, () => Promise<void>> = {
  keys,
  login,
  chat,
  'chat-scale': chatScale,
  widget,
  webhooks,
  'webhooks-scale': webhooksScale,
  actions,
  memory,
  sdk,
  ids,
  inbox,
  erasure,
  conversations: largeTenant,
  tenants,
  chores,
  sweeper,
  sizing,
};
const name = process.argv[2] ?? '';
const bench = benches[name];
if (!bench) {
  console.error(`Choose one: ${Object.keys(benches).join(', ')}. For example: npm run bench -- keys`);
  process.exit(2);
}
await bench();
