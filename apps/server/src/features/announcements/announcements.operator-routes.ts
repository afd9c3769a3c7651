import { operatorRoute, type Route } from '../../platform/http/route.ts';
import * as contract from './announcements.contract.ts';
import * as service from './announcements.service.ts';

const tag = 'Operator';

export const operatorAnnouncementRoutes = (parts: service.Announcing): Route[] => [
  operatorRoute({
    method: 'GET',
    path: '/admin/announcements',
    name: 'listAnnouncements',
    tag,
    summary: 'List what tenants are, were and will be told, newest first',
    permission: 'platform.system.view',
    query: contract.ListAnnouncements,
    answer: contract.Announcements,
    handler: (_desk, { query }) => service.listAnnouncements(parts, query),
  }),
  operatorRoute({
    method: 'POST',
    path: '/admin/announcements',
    name: 'createAnnouncement',
    tag,
    summary: 'Tell tenants something in their portal',
    permission: 'platform.system.manage',
    body: contract.CreateAnnouncement,
    status: 201,
    answer: contract.OneAnnouncement,
    handler: (operator, { body }, from) => service.createAnnouncement(parts, { operator, from }, body),
  }),
  operatorRoute({
    method: 'PATCH',
    path: '/admin/announcements/:id',
    name: 'changeAnnouncement',
    tag,
    summary: 'Change an announcement',
    description: 'Acts in every portal within five seconds of its next page.',
    permission: 'platform.system.manage',
    params: contract.AnnouncementId,
    body: contract.ChangeAnnouncement,
    answer: contract.OneAnnouncement,
    handler: (operator, { params, body }, from) =>
      service.changeAnnouncement(parts, { operator, from }, params.id, body),
  }),
  operatorRoute({
    method: 'POST',
    path: '/admin/announcements/:id/end',
    name: 'endAnnouncement',
    tag,
    summary: 'End an announcement now',
    permission: 'platform.system.manage',
    params: contract.AnnouncementId,
    answer: contract.OneAnnouncement,
    handler: (operator, { params }, from) => service.endAnnouncement(parts, { operator, from }, params.id),
  }),
  operatorRoute({
    method: 'DELETE',
    path: '/admin/announcements/:id',
    name: 'removeAnnouncement',
    tag,
    summary: 'Remove an announcement, as if it had never been',
    permission: 'platform.system.manage',
    params: contract.AnnouncementId,
    answer: contract.OneAnnouncement,
    handler: (operator, { params }, from) => service.removeAnnouncement(parts, { operator, from }, params.id),
  }),
];
