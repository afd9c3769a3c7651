import { z } from 'zod';
import { defineEvent } from '../../platform/events.ts';
import { Team } from './teams.contract.ts';

// For the audit log. Not available to webhooks.
const internal = { isPublic: false } as const;

export const teamCreated = defineEvent('team.created', z.object({ object: Team }), internal);
export const teamUpdated = defineEvent('team.updated', z.object({ object: Team }), internal);
export const teamDeleted = defineEvent('team.deleted', z.object({ object: Team }), internal);
