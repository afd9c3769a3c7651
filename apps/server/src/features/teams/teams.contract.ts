import { z } from 'zod';
import { idOf } from '../../platform/ids.contract.ts';
import { ListQuery, Page } from '../../platform/lists.contract.ts';
import { nameOf } from '../../platform/names.contract.ts';

const memberIds = z
  .array(idOf('user'))
  .max(200)
  .refine((ids) => new Set(ids).size === ids.length, 'List each member only once.');

export const Team = z
  .object({
    id: idOf('team'),
    name: z.string(),
    memberIds: z.array(idOf('user')).describe('In alphabetical order.'),
    createdAt: z.date(),
  })
  .meta({ id: 'Team' });
export type Team = z.infer<typeof Team>;
export const OneTeam = z.object({ team: Team });
export const Teams = Page(Team);
export const TeamId = z.object({ id: idOf('team') });
export const ListTeams = ListQuery;

export const CreateTeam = z.strictObject({ name: nameOf(80), memberIds: memberIds.default([]) });
export type CreateTeam = z.infer<typeof CreateTeam>;
export const ChangeTeam = z.strictObject({
  name: nameOf(80).optional(),
  memberIds: memberIds.optional().describe('Replaces all members.'),
});
export type ChangeTeam = z.infer<typeof ChangeTeam>;
