import { conflict, orNotFound } from '../../platform/errors.ts';
import { tenantRoute } from '../../platform/http/route.ts';
import { newId } from '../../platform/ids.ts';
import * as contract from './inbox-views.contract.ts';
import * as store from './inbox-views.store.ts';

const tag = 'Inbox';
const max = 100;

export const inboxViewRoutes = [
  tenantRoute({
    method: 'GET',
    path: '/inbox/views',
    name: 'listInboxViews',
    tag,
    summary: 'List your saved views of the inbox',
    permission: 'conversation.view',
    bindings: [],
    response: contract.InboxViews,
    handler: async ({ tx, actor }) => ({ data: await store.list(tx, actor.id, max) }),
  }),
  tenantRoute({
    method: 'POST',
    path: '/inbox/views',
    name: 'createInboxView',
    tag,
    summary: 'Save a view of the inbox',
    permission: 'conversation.reply',
    bindings: [],
    body: contract.CreateInboxView,
    status: 201,
    response: contract.OneInboxView,
    handler: async ({ tx, actor }, { body: { name, filters, isShared } }) => {
      if ((await store.list(tx, actor.id, max)).length >= max)
        throw conflict('too_many_views', `You have ${max} saved views. Delete one first.`);
      const row = { id: newId('inboxView'), name, filters: JSON.stringify(filters), createdBy: actor.id };
      return { view: await store.insert(tx, { ...row, userId: isShared ? null : actor.id }) };
    },
  }),
  tenantRoute({
    method: 'DELETE',
    path: '/inbox/views/:id',
    name: 'deleteInboxView',
    tag,
    summary: 'Delete a saved view',
    permission: 'conversation.reply',
    bindings: [],
    params: contract.InboxViewId,
    response: contract.OneInboxView,
    handler: async ({ tx, actor }, { params }) => ({
      view: orNotFound('inboxView', await store.remove(tx, actor.id, params.id)),
    }),
  }),
];
