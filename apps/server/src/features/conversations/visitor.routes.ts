import { publicRoute, visitorRoute } from '../../platform/http/route.ts';
import type { Sessions } from '../widget-sessions/index.ts';
import { answerConfirmation } from './confirmations.ts';
import { followConversation, sendMessage, type ChatParts } from './chatting.ts';
import * as contract from './conversations.contract.ts';
import { eraseVisitor, exportVisitor } from './privacy.ts';
import * as service from './visitor.service.ts';

const tag = 'Widget';
const perVisitor = { name: 'widget-actions', points: 120, seconds: 60 };

export const visitorRoutes = (parts: ChatParts, sessions: Sessions) => [
  publicRoute({
    method: 'POST',
    path: '/widget/chatbots/:botId/message',
    name: 'sendMessage',
    tag,
    summary: 'Send a message, and get the answer',
    description:
      'Answers when the turn is over, or after 25 seconds with `turn.status` `running`. With `Accept: text/event-stream` the same call streams, first and at once, `message.accepted` (`conversationId` and `message`), then `turn.started`, `reply.delta` (where its words belong is in `at`), `action.started` and `action.finished` for what is done meanwhile, `confirmation.required` where you are asked first, and `reply.completed`; every event has the place in the log as its `id`. While a person is to answer, it ends after `message.accepted`.',
    permission: 'public',
    streams: true,
    mayAnswerEarly: true,
    params: contract.BotId,
    body: contract.SendMessage,
    answer: contract.SentMessage,
    handler: async ({ params, body }, from) => {
      const session = await sessions.visitorOf(body.sessionToken, from);
      service.assertSameBot(session, params.botId);
      return sendMessage(parts, session, body, from);
    },
  }),
  visitorRoute({
    method: 'GET',
    path: '/widget/conversation',
    name: 'findOwnConversation',
    tag,
    summary: 'Find the conversation to go on with',
    description: 'The newest, unless it is over; null where the next message begins one.',
    limit: perVisitor,
    answer: contract.OwnConversationIfAny,
    handler: (session, _input, from) => service.findConversation(parts, session, from),
  }),
  visitorRoute({
    method: 'GET',
    path: '/widget/conversations/:id/events',
    name: 'followConversation',
    tag,
    summary: 'Follow a conversation from any point',
    description:
      'As a stream, or without one: what is new, waiting for it up to `wait` seconds. A stream whose session is over ends with `stream.closed`, which has the `reason` and a `message`, such as `tenant_suspended`.',
    streams: true,
    params: contract.ConversationId,
    query: contract.FollowQuery,
    limit: perVisitor,
    answer: contract.LogEntries,
    handler: (session, { params, query }, from) => followConversation(parts, session, params.id, query, from),
  }),
  visitorRoute({
    method: 'GET',
    path: '/widget/conversations/:id/messages',
    name: 'listOwnMessages',
    tag,
    summary: 'List the messages of a conversation, newest first',
    params: contract.ConversationId,
    query: contract.SeqQuery,
    limit: perVisitor,
    answer: contract.Messages,
    handler: (session, { params, query }, from) => service.listMessages(parts, session, params.id, query, from),
  }),
  visitorRoute({
    method: 'POST',
    path: '/widget/conversations/:id/rating',
    name: 'rateConversation',
    tag,
    summary: 'Rate the conversation, or say whether one answer helped',
    params: contract.ConversationId,
    body: contract.Rate,
    limit: perVisitor,
    answer: contract.OwnConversation,
    handler: (session, { params, body }, from) => service.rate(parts, session, params.id, body, from),
  }),
  visitorRoute({
    method: 'POST',
    path: '/widget/conversations/:id/handoff',
    name: 'askForPerson',
    tag,
    summary: 'Ask for a person',
    params: contract.ConversationId,
    body: contract.AskForPerson,
    limit: perVisitor,
    answer: contract.OwnConversation,
    handler: (session, { params, body }, from) => service.askForPerson(parts, session, params.id, body.reason, from),
  }),
  visitorRoute({
    method: 'POST',
    path: '/widget/conversations/:id/stop',
    name: 'stopAnswer',
    tag,
    summary: 'Stop the answer under way',
    description: 'What was said so far stays, marked `stopped`.',
    params: contract.ConversationId,
    limit: perVisitor,
    answer: contract.OwnConversation,
    handler: (session, { params }, from) => service.stopTurn(parts, session, params.id, from),
  }),
  visitorRoute({
    method: 'POST',
    path: '/widget/conversations/:id/confirm',
    name: 'answerConfirmation',
    tag,
    summary: 'Agree to what was asked in the conversation, or refuse it',
    description:
      'For `confirmation.required` in the log. Once: the same answer again changes nothing, and the other one is refused.',
    params: contract.ConversationId,
    body: contract.AnswerConfirmation,
    limit: perVisitor,
    answer: contract.OwnConversation,
    handler: (session, { params, body }, from) => answerConfirmation(parts, session, params.id, body, from),
  }),
  visitorRoute({
    method: 'GET',
    path: '/widget/me',
    name: 'exportOwnData',
    tag,
    summary: 'Download everything kept about you',
    limit: { name: 'widget-exports', points: 10, seconds: 60 },
    answer: contract.Export,
    handler: (session, _input, from) => exportVisitor(parts.ground, session, from),
  }),
  visitorRoute({
    method: 'DELETE',
    path: '/widget/me',
    name: 'eraseOwnData',
    tag,
    summary: 'Erase everything kept about you',
    description: 'At once and for good, from the log and from the events that told of it. The receipt names it later.',
    limit: { name: 'widget-erasures', points: 10, seconds: 60 },
    answer: contract.Erased,
    handler: (session, _input, from) => eraseVisitor(parts, session, from),
  }),
];
