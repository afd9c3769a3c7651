import { operatorRoute, type Route } from '../../platform/http/route.ts';
import * as contract from './announcements.contract.ts';
import * as service from './announcements.service.ts';

const tag = 'Operator';

export const operatorAnnouncementRoutes = (deps: service.AnnouncementDeps): Route[] => [
  operatorRoute({
    method: 'GET',
    path: '/admin/announcements',
    name: 'listAnnouncements',
    tag,
    summary: 'List announcements',
    permission: 'platform.system.view',
    query: contract.ListAnnouncements,
    response: contract.Announcements,
    handler: (_operator, { query }) => service.listAnnouncements(deps, query),
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
    response: contract.OneAnnouncement,
    handler: (operator, { body }, requestInfo) => service.createAnnouncement(deps, { operator, requestInfo }, body),
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
    response: contract.OneAnnouncement,
    handler: (operator, { params, body }, requestInfo) =>
      service.changeAnnouncement(deps, { operator, requestInfo }, params.id, body),
  }),
  operatorRoute({
    method: 'POST',
    path: '/admin/announcements/:id/end',
    name: 'endAnnouncement',
    tag,
    summary: 'End an announcement',
    permission: 'platform.system.manage',
    params: contract.AnnouncementId,
    response: contract.OneAnnouncement,
    handler: (operator, { params }, requestInfo) => service.endAnnouncement(deps, { operator, requestInfo }, params.id),
  }),
  operatorRoute({
    method: 'DELETE',
    path: '/admin/announcements/:id',
    name: 'removeAnnouncement',
    tag,
    summary: 'Delete an announcement',
    permission: 'platform.system.manage',
    params: contract.AnnouncementId,
    response: contract.OneAnnouncement,
    handler: (operator, { params }, requestInfo) =>
      service.removeAnnouncement(deps, { operator, requestInfo }, params.id),
  }),
];
