import { routeWithoutTransaction } from '../../../platform/http/route.ts';
import type { AskModelDeps } from '../../answers/index.ts';
import { ConversationId } from '../conversations.contract.ts';
import * as contract from './assist.contract.ts';
import { draftReply, summarize } from './assist.ts';

const tag = 'Inbox';
const bindings = ['workspace', 'bot', 'environment'] as const;
const limit = { name: 'agent-assist', points: 20, seconds: 60 };

export const assistRoutes = (deps: AskModelDeps) => [
  routeWithoutTransaction({
    method: 'POST',
    path: '/conversations/:id/draft',
    name: 'draftReply',
    tag,
    summary: 'Draft a reply with a model',
    description:
      'From the conversation and the bot’s knowledge. Nothing is sent: an agent edits and sends it. Counts towards your AI budgets. If there is no draft, the response is still 200, with a `reason`.',
    permission: 'conversation.reply',
    bindings,
    limit,
    params: ConversationId,
    response: contract.AssistResult,
    handler: (caller, { params }) => draftReply(caller, deps, params.id),
  }),
  routeWithoutTransaction({
    method: 'POST',
    path: '/conversations/:id/summary',
    name: 'summarizeConversation',
    tag,
    summary: 'Summarize a conversation with a model',
    description: 'For agents; it is not stored. Counts towards your AI budgets.',
    permission: 'conversation.reply',
    bindings,
    limit,
    params: ConversationId,
    response: contract.AssistResult,
    handler: (caller, { params }) => summarize(caller, deps, params.id),
  }),
];
