import { publicRoute, visitorRoute } from '../../../platform/http/route.ts';
import type { Sessions } from '../../widget-sessions/index.ts';
import { answerConfirmation } from './confirmations.ts';
import { followConversation, sendMessage, type ChatDeps } from './chat.ts';
import * as contract from '../conversations.contract.ts';
import { Noted, ReadUpTo } from '../inbox/inbox.contract.ts';
import { readAsVisitor, typeAsVisitor } from './presence.ts';
import { eraseVisitor, exportVisitor } from './privacy.ts';
import * as service from './visitor.service.ts';

const tag = 'Widget';
const perVisitor = { name: 'widget-actions', points: 120, seconds: 60 };

export const visitorRoutes = (deps: ChatDeps, sessions: Sessions) => [
  publicRoute({
    method: 'POST',
    path: '/widget/chatbots/:botId/message',
    name: 'sendMessage',
    tag,
    summary: 'Send a message',
    description:
      'Returns when the turn is complete, or after 25 seconds with `turn.status` `running`. With `Accept: text/event-stream`, the same request streams `message.accepted` immediately (with `conversationId` and `message`), then `turn.started`, `reply.delta` (`at` is the position of its text), `action.started` and `action.finished` for actions, `confirmation.required` when the visitor must confirm, and `reply.completed`. The `id` of each event is its position in the log. While waiting for an agent, the stream ends after `message.accepted`. 503 `busy`: more messages are waiting than can be answered soon. Nothing was stored; send it again after `Retry-After`, with the same `clientMessageId`.',
    permission: 'public',
    streams: true,
    mayRespondAccepted: true,
    params: contract.BotId,
    body: contract.SendMessage,
    response: contract.SentMessage,
    handler: async ({ params, body }, requestInfo) => {
      const session = await sessions.visitorOf(body.sessionToken, requestInfo);
      service.assertSameBot(session, params.botId);
      return sendMessage(deps, session, body, requestInfo);
    },
  }),
  visitorRoute({
    method: 'GET',
    path: '/widget/conversation',
    name: 'findOwnConversation',
    tag,
    summary: 'Get the conversation to continue',
    description: 'The latest one, unless it is closed. null if the next message starts a new one.',
    limit: perVisitor,
    response: contract.OwnConversationIfAny,
    handler: (session, _input, requestInfo) => service.findConversation(deps, session, requestInfo),
  }),
  visitorRoute({
    method: 'POST',
    path: '/widget/conversation',
    name: 'identifyVisitor',
    tag,
    summary: 'Continue as a signed-in user',
    description:
      'Returns the conversation to continue, like `GET`. With the `visitorToken` of the anonymous session in the same browser, the conversations of that visitor become those of the user of this session, and `contact.identified` is emitted. A visitor belongs to one contact at most: the token of a visitor who was identified as someone else, or an invalid one, is ignored.',
    limit: perVisitor,
    body: contract.Identify,
    response: contract.OwnConversationIfAny,
    handler: async (session, { body }, requestInfo) =>
      service.identify(deps, session, await sessions.visitorIn(session, body.visitorToken), requestInfo),
  }),
  visitorRoute({
    method: 'GET',
    path: '/widget/conversations',
    name: 'listOwnConversations',
    tag,
    summary: 'List the visitor’s conversations',
    description: 'The newest 20 with this bot, newest first. Closed ones can still be read.',
    limit: perVisitor,
    response: contract.OwnConversations,
    handler: (session, _input, requestInfo) => service.listConversations(deps, session, requestInfo),
  }),
  visitorRoute({
    method: 'GET',
    path: '/widget/conversations/:id/events',
    name: 'followConversation',
    tag,
    summary: 'Follow a conversation',
    description:
      'From any position, as a stream, or as a single response that waits up to `wait` seconds for something new. When the session is no longer valid, a stream ends with `stream.closed`, which has a `reason`, such as `tenant_suspended`, and a `message`.',
    streams: true,
    params: contract.ConversationId,
    query: contract.FollowQuery,
    limit: perVisitor,
    response: contract.LogEntries,
    handler: (session, { params, query }, requestInfo) =>
      followConversation(deps, session, params.id, query, requestInfo),
  }),
  visitorRoute({
    method: 'GET',
    path: '/widget/conversations/:id/messages',
    name: 'listOwnMessages',
    tag,
    summary: 'List the messages of a conversation',
    params: contract.ConversationId,
    query: contract.SeqQuery,
    limit: perVisitor,
    response: contract.Messages,
    handler: (session, { params, query }, requestInfo) =>
      service.listMessages(deps, session, params.id, query, requestInfo),
  }),
  visitorRoute({
    method: 'POST',
    path: '/widget/conversations/:id/rating',
    name: 'rateConversation',
    tag,
    summary: 'Rate a conversation or an answer',
    params: contract.ConversationId,
    body: contract.Rate,
    limit: perVisitor,
    response: contract.OwnConversation,
    handler: (session, { params, body }, requestInfo) => service.rate(deps, session, params.id, body, requestInfo),
  }),
  visitorRoute({
    method: 'POST',
    path: '/widget/conversations/:id/handoff',
    name: 'askForPerson',
    tag,
    summary: 'Request a handoff to an agent',
    params: contract.ConversationId,
    body: contract.AskForPerson,
    limit: perVisitor,
    response: contract.OwnConversation,
    handler: (session, { params, body }, requestInfo) =>
      service.askForPerson(deps, session, params.id, body.reason, requestInfo),
  }),
  visitorRoute({
    method: 'POST',
    path: '/widget/conversations/:id/typing',
    name: 'showOwnTyping',
    tag,
    summary: 'Show agents that the visitor is typing',
    description: 'For six seconds. While an agent has the conversation.',
    params: contract.ConversationId,
    limit: perVisitor,
    response: Noted,
    handler: (session, { params }, requestInfo) => typeAsVisitor(deps, session, params.id, requestInfo),
  }),
  visitorRoute({
    method: 'POST',
    path: '/widget/conversations/:id/read',
    name: 'markOwnRead',
    tag,
    summary: 'Mark messages as read by the visitor',
    params: contract.ConversationId,
    body: ReadUpTo,
    limit: perVisitor,
    response: Noted,
    handler: (session, { params, body }, requestInfo) => readAsVisitor(deps, session, params.id, body.seq, requestInfo),
  }),
  visitorRoute({
    method: 'POST',
    path: '/widget/conversations/:id/stop',
    name: 'stopAnswer',
    tag,
    summary: 'Stop the current reply',
    description: 'The text so far is kept and marked `stopped`.',
    params: contract.ConversationId,
    limit: perVisitor,
    response: contract.OwnConversation,
    handler: (session, { params }, requestInfo) => service.stopTurn(deps, session, params.id, requestInfo),
  }),
  visitorRoute({
    method: 'POST',
    path: '/widget/conversations/:id/confirm',
    name: 'answerConfirmation',
    tag,
    summary: 'Confirm or decline an action',
    description:
      'For `confirmation.required` in the log. Repeating the same answer changes nothing; a different answer is rejected.',
    params: contract.ConversationId,
    body: contract.AnswerConfirmation,
    limit: perVisitor,
    response: contract.OwnConversation,
    handler: (session, { params, body }, requestInfo) =>
      answerConfirmation(deps, session, params.id, body, requestInfo),
  }),
  visitorRoute({
    method: 'GET',
    path: '/widget/me',
    name: 'exportOwnData',
    tag,
    summary: 'Export all data about the visitor',
    description: 'Without attributes, tags and assignees, which only your team sees.',
    limit: { name: 'widget-exports', points: 10, seconds: 60 },
    response: contract.OwnExport,
    handler: (session, _input, requestInfo) => exportVisitor(deps.services, session, requestInfo),
  }),
  visitorRoute({
    method: 'DELETE',
    path: '/widget/me',
    name: 'eraseOwnData',
    tag,
    summary: 'Erase all data about the visitor',
    description:
      'Immediate and permanent, from the log and from the events about it. The receipt identifies the erasure.',
    limit: { name: 'widget-erasures', points: 10, seconds: 60 },
    response: contract.ErasureReceipt,
    handler: (session, _input, requestInfo) => eraseVisitor(deps, session, requestInfo),
  }),
];
