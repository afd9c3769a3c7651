import { routeWithoutTransaction, tenantRoute } from '../../../platform/http/route.ts';
import { ConversationId, OneConversation } from '../conversations.contract.ts';
import type { AgentDeps } from '../visitor/chat.ts';
import { changeAll } from './bulk.ts';
import * as contract from './inbox.contract.ts';
import * as service from './inbox.service.ts';
import { listTags } from './inbox.store.ts';
import { followInbox, getCounts } from './inbox.stream.ts';

const tag = 'Inbox';
const params = ConversationId;
const bindings = ['workspace', 'bot', 'environment'] as const;
const maxTags = 500;

export const inboxRoutes = (deps: AgentDeps) => [
  tenantRoute({
    method: 'GET',
    path: '/inbox/counts',
    name: 'getInboxCounts',
    tag,
    summary: 'Count the conversations that wait for an agent',
    permission: 'conversation.view',
    bindings,
    response: contract.InboxCounts,
    handler: (ctx) => getCounts(ctx),
  }),
  tenantRoute({
    method: 'GET',
    path: '/inbox/events',
    name: 'followInbox',
    tag,
    summary: 'Follow the inbox',
    description:
      'With `Accept: text/event-stream`, sends `inbox.changed` with the ids of conversations that have changed, up to four times per second. An empty list means that any of them may have changed. Ends after ten minutes; reconnect then.',
    permission: 'conversation.view',
    bindings: [],
    streams: true,
    response: contract.InboxChange,
    handler: (ctx, _input, requestInfo) => followInbox(deps, ctx, requestInfo),
  }),
  tenantRoute({
    method: 'GET',
    path: '/inbox/tags',
    name: 'listTags',
    tag,
    summary: 'List the tags in use',
    permission: 'conversation.view',
    bindings,
    response: contract.Tags,
    handler: async ({ tx }) => ({ data: await listTags(tx, maxTags) }),
  }),
  routeWithoutTransaction({
    method: 'POST',
    path: '/conversations/bulk',
    name: 'changeConversations',
    tag,
    summary: 'Change up to 100 conversations',
    description:
      'Closes, reopens, tags or assigns them, one after the other. Those that can’t be changed are listed with the reason. 404, and no change, if one doesn’t exist. Assigning needs the permission `conversation.assign`, and leaves each conversation in its state. A repeated request changes nothing more.',
    permission: 'conversation.reply',
    bindings,
    body: contract.Bulk,
    response: contract.BulkResult,
    handler: (caller, { body }) => changeAll(caller, body),
  }),
  tenantRoute({
    method: 'GET',
    path: '/conversations/:id/timeline',
    name: 'getTimeline',
    tag,
    summary: 'List everything that happened in a conversation',
    description:
      'Messages, notes, ratings, handoffs, actions, confirmations and page changes, newest first. The type of an entry is the name of its event in the stream.',
    permission: 'conversation.view',
    bindings,
    params,
    query: contract.TimelineQuery,
    response: contract.Timeline,
    handler: (ctx, { params: { id }, query }) => service.getTimeline(ctx, id, query),
  }),
  tenantRoute({
    method: 'POST',
    path: '/conversations/:id/reopen',
    name: 'reopenConversation',
    tag,
    summary: 'Reopen a closed conversation',
    description:
      'It returns to the state in which it was closed, with its assignee, and waits since the same time. 409 if the visitor has started a newer conversation since.',
    permission: 'conversation.reply',
    bindings,
    params,
    response: OneConversation,
    handler: (ctx, { params: { id } }) => service.reopen(ctx, id),
  }),
  tenantRoute({
    method: 'POST',
    path: '/conversations/:id/snooze',
    name: 'snoozeConversation',
    tag,
    summary: 'Snooze a conversation',
    description: 'Leaves the inbox until then, or until the visitor writes.',
    permission: 'conversation.reply',
    bindings,
    params,
    body: contract.Snooze,
    response: OneConversation,
    handler: (ctx, { params: { id }, body }) => service.snooze(ctx, id, body.until),
  }),
  tenantRoute({
    method: 'PUT',
    path: '/conversations/:id/tags',
    name: 'setTags',
    tag,
    summary: 'Set the tags of a conversation',
    permission: 'conversation.reply',
    bindings,
    params,
    body: contract.SetTags,
    response: OneConversation,
    handler: (ctx, { params: { id }, body }) => service.setTags(ctx, id, body.tags),
  }),
  tenantRoute({
    method: 'POST',
    path: '/conversations/:id/read',
    name: 'markRead',
    tag,
    summary: 'Mark a conversation as read',
    description: 'Up to a position in the log. The visitor sees that their messages were read.',
    permission: 'conversation.reply',
    bindings,
    params,
    body: contract.ReadUpTo,
    response: contract.Noted,
    handler: (ctx, { params: { id }, body }) => service.readAsAgent(ctx, id, body.seq),
  }),
  tenantRoute({
    method: 'POST',
    path: '/conversations/:id/typing',
    name: 'showTyping',
    tag,
    summary: 'Show the visitor that an agent is typing',
    description: 'For six seconds. Send it again every few seconds while typing.',
    permission: 'conversation.reply',
    bindings,
    params,
    response: contract.Noted,
    handler: (ctx, { params: { id } }) => service.typeAsAgent(ctx, id),
  }),
];
