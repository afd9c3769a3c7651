import type { z } from 'zod';
import type { Context } from '../../platform/context.ts';
import { tenantRoute } from '../../platform/http/route.ts';
import { ErasureReceipt, Export } from '../conversations/conversations.contract.ts';
import { ContactDetails, Contacts } from './contact-details.contract.ts';
import * as contract from './contacts.contract.ts';
import * as service from './contacts.service.ts';

const tag = 'Contacts';
const params = contract.ContactId;
/** A contact belongs to an environment and may talk to each of its bots. */
const bindings = ['workspace', 'environment'] as const;

interface ContactRoutesDeps {
  conversations: service.ContactConversations;
  exportContact(ctx: Context, id: contract.Contact['id']): Promise<z.input<typeof Export>>;
  eraseContact(ctx: Context, id: contract.Contact['id']): Promise<z.input<typeof ErasureReceipt>>;
}

export const contactRoutes = ({ conversations, exportContact, eraseContact }: ContactRoutesDeps) => [
  tenantRoute({
    method: 'GET',
    path: '/contacts',
    name: 'listContacts',
    tag,
    summary: 'List or search contacts',
    description: 'Users that your backend has identified. Sorted by when they were last seen, newest first.',
    permission: 'contact.view',
    bindings,
    query: contract.ListContacts,
    response: Contacts,
    handler: (ctx, { query }) => service.listContacts(ctx, conversations, query),
  }),
  tenantRoute({
    method: 'GET',
    path: '/contacts/:id',
    name: 'getContact',
    tag,
    summary: 'Get a contact',
    description: 'With its newest conversations.',
    permission: 'contact.view',
    bindings,
    params,
    response: ContactDetails,
    handler: (ctx, { params: { id } }) => service.getContact(ctx, conversations, id),
  }),
  tenantRoute({
    method: 'PATCH',
    path: '/contacts/:id',
    name: 'updateContact',
    tag,
    summary: 'Update a contact',
    description:
      'Attributes are merged: those that you don’t name stay, and null removes one. The email is replaced again when your backend identifies the user with another one.',
    permission: 'contact.update',
    bindings,
    params,
    body: contract.UpdateContact,
    response: contract.OneContact,
    handler: (ctx, { params: { id }, body }) => service.updateContact(ctx, id, body),
  }),
  tenantRoute({
    method: 'GET',
    path: '/contacts/:id/export',
    name: 'exportContact',
    tag,
    summary: 'Export all data about a contact',
    description: 'Like a visitor’s own export (`GET /widget/me`), with what only your team sees.',
    permission: 'contact.manage',
    bindings,
    params,
    response: Export,
    handler: (ctx, { params: { id } }) => exportContact(ctx, id),
  }),
  tenantRoute({
    method: 'DELETE',
    path: '/contacts/:id',
    name: 'eraseContact',
    tag,
    summary: 'Erase all data about a contact',
    description:
      'Immediate and permanent: the contact, its conversations and the data of the events about them. The receipt identifies the erasure in the audit log. Identifying the user again creates a new contact.',
    permission: 'contact.manage',
    bindings,
    limit: { name: 'contact-erasures', points: 60, seconds: 60 },
    params,
    response: ErasureReceipt,
    handler: (ctx, { params: { id } }) => eraseContact(ctx, id),
  }),
];
