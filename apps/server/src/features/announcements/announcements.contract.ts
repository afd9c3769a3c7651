import { z } from 'zod';
import { idOf } from '../../platform/ids.contract.ts';
import { ListQuery, Page } from '../../platform/lists.contract.ts';
import { PlanName } from '../entitlements/entitlements.contract.ts';

const title = z.string().trim().min(1).max(120);
const text = z.string().trim().max(2_000).describe('Plain text, shown as is.');
const kind = z.enum(['info', 'warning', 'incident', 'maintenance']).describe('An `incident` cannot be dismissed.');
const plan = PlanName.nullable().describe('Show only to tenants on this plan. null: all tenants.');
const startsAt = z.iso.datetime({ offset: true }).describe('Shown from this time.');
const endsAt = z.iso.datetime({ offset: true }).nullable().describe('Shown until this time. null: until it is ended.');

/** As shown to tenants. */
export const Announcement = z
  .object({
    id: idOf('announcement'),
    title,
    text: z.string(),
    kind,
    startsAt: z.date(),
    endsAt: z.date().nullable(),
  })
  .meta({ id: 'Announcement' });
export type Announcement = z.infer<typeof Announcement>;
export const CurrentAnnouncements = z.object({ data: z.array(Announcement).describe('Newest first, up to ten.') });

export const OperatorAnnouncement = Announcement.extend({
  plan,
  state: z.enum(['planned', 'shown', 'ended']),
  createdBy: z.string(),
  createdAt: z.date(),
}).meta({ id: 'OperatorAnnouncement' });
export type OperatorAnnouncement = z.infer<typeof OperatorAnnouncement>;

export const CreateAnnouncement = z.strictObject({
  title,
  text: text.default(''),
  kind,
  plan: plan.default(null),
  startsAt: startsAt.optional().describe('Shown from this time. Defaults to now.'),
  endsAt: endsAt.default(null),
});
export type CreateAnnouncement = z.infer<typeof CreateAnnouncement>;
export const ChangeAnnouncement = z.strictObject({
  title: title.optional(),
  text: text.optional(),
  kind: kind.optional(),
  plan: plan.optional(),
  startsAt: startsAt.optional(),
  endsAt: endsAt.optional(),
});
export type ChangeAnnouncement = z.infer<typeof ChangeAnnouncement>;
export const AnnouncementId = z.object({ id: idOf('announcement') });
export const OneAnnouncement = z.object({ announcement: OperatorAnnouncement });
export const ListAnnouncements = ListQuery;
export const Announcements = Page(OperatorAnnouncement);
