import { conflict, orNotFound } from '../../platform/errors.ts';
import { tenantRoute } from '../../platform/http/route.ts';
import { newId } from '../../platform/ids.ts';
import * as contract from './saved-replies.contract.ts';
import * as store from './saved-replies.store.ts';

const tag = 'Inbox';
/** As many as the composer can search without paging. */
const max = 500;

export const savedReplyRoutes = [
  tenantRoute({
    method: 'GET',
    path: '/saved-replies',
    name: 'listSavedReplies',
    tag,
    summary: 'List saved replies',
    permission: 'conversation.view',
    bindings: [],
    response: contract.SavedReplies,
    handler: async ({ tx }) => ({ data: await store.list(tx, max) }),
  }),
  tenantRoute({
    method: 'POST',
    path: '/saved-replies',
    name: 'createSavedReply',
    tag,
    summary: 'Create a saved reply',
    permission: 'conversation.reply',
    bindings: [],
    body: contract.CreateSavedReply,
    status: 201,
    response: contract.OneSavedReply,
    handler: async ({ tx, actor }, { body }) => {
      if ((await store.count(tx)) >= max)
        throw conflict('too_many_saved_replies', `You have ${max} saved replies. Delete one first.`);
      return { savedReply: await store.insert(tx, { ...body, id: newId('savedReply'), createdBy: actor.id }) };
    },
  }),
  tenantRoute({
    method: 'PATCH',
    path: '/saved-replies/:id',
    name: 'updateSavedReply',
    tag,
    summary: 'Update a saved reply',
    permission: 'conversation.reply',
    bindings: [],
    params: contract.SavedReplyId,
    body: contract.UpdateSavedReply,
    response: contract.OneSavedReply,
    handler: async ({ tx, now }, { params, body: { name, text } }) => {
      const change = { ...(name !== undefined && { name }), ...(text !== undefined && { text }), updatedAt: now };
      return { savedReply: orNotFound('savedReply', await store.update(tx, params.id, change)) };
    },
  }),
  tenantRoute({
    method: 'DELETE',
    path: '/saved-replies/:id',
    name: 'deleteSavedReply',
    tag,
    summary: 'Delete a saved reply',
    permission: 'conversation.reply',
    bindings: [],
    params: contract.SavedReplyId,
    response: contract.OneSavedReply,
    handler: async ({ tx }, { params }) => ({
      savedReply: orNotFound('savedReply', await store.remove(tx, params.id)),
    }),
  }),
];
