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
    summary: 'List announcements',
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
    summary: 'Create an announcement',
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
    summary: 'Update an announcement',
    description: 'Takes effect on the next page load, within five seconds.',
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
    summary: 'End an announcement',
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
    summary: 'Delete an announcement',
    permission: 'platform.system.manage',
    params: contract.AnnouncementId,
    answer: contract.OneAnnouncement,
    handler: (operator, { params }, from) => service.removeAnnouncement(parts, { operator, from }, params.id),
  }),
];
