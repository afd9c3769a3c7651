import { actions } from './actions.ts';
import { chat } from './chat.ts';
import { identity } from './identity.ts';
import { overview } from './overview.ts';
import { postgresql } from './postgresql.ts';
import { processes } from './processes.ts';
import { restate } from './restate.ts';
import { valkey } from './valkey.ts';
import { webhooks } from './webhooks.ts';

export const dashboards = [overview, chat, webhooks, actions, identity, postgresql, restate, valkey, processes];
