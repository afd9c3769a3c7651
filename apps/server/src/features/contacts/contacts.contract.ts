import { z } from 'zod';
import { idOf } from '../../platform/ids.contract.ts';
import { ListQuery } from '../../platform/lists.contract.ts';

export const maxAttributes = 50;
export const maxTags = 20;

const AttributeValue = z.union([z.string().max(500), z.number(), z.boolean()]);
const attributeName = z.string().min(1).max(64);
const tag = z.string().trim().min(1).max(40);

/** A user of the tenant, authenticated by the tenant's backend. */
export const Contact = z
  .object({
    id: idOf('contact'),
    environmentId: idOf('environment'),
    externalUserId: z.string().describe('The user’s id in your system.'),
    name: z.string().nullable(),
    email: z.string(),
    attributes: z.record(z.string(), AttributeValue).describe('Your own fields. Dates are ISO 8601 strings.'),
    tags: z.array(z.string()),
    firstSeenAt: z.date().describe('Includes the time before they were identified.'),
    lastSeenAt: z.date().describe('Accurate to five minutes.'),
    createdAt: z.date(),
    updatedAt: z.date(),
  })
  .meta({ id: 'Contact' });
export type Contact = z.infer<typeof Contact>;
export type Attributes = Contact['attributes'];

/** A change of attributes: those that are not named stay. */
export const AttributeChanges = z
  .record(attributeName, AttributeValue.nullable())
  .refine((changes) => Object.keys(changes).length <= 2 * maxAttributes, 'Too many attributes in one request.')
  .describe(
    `Up to ${maxAttributes} custom fields per contact: text of up to 500 characters, numbers, true or false, and dates as ISO 8601 strings. Fields that you don’t name stay as they are; null removes one.`,
  );
export const ContactName = z.string().trim().min(1).max(120);

export const ContactId = z.object({ id: idOf('contact') });
export const UpdateContact = z.strictObject({
  name: ContactName.nullable().optional(),
  email: z.email().max(254).optional(),
  attributes: AttributeChanges.optional(),
  tags: z.array(tag).max(maxTags).optional().describe('Replaces all tags.'),
});
export type UpdateContact = z.infer<typeof UpdateContact>;

export const ListContacts = ListQuery.extend({
  environmentId: idOf('environment').optional(),
  tag: tag.optional(),
  q: z
    .string()
    .max(200)
    .optional()
    .describe('Search terms in the name, email or external id, all of which must match; the last may be incomplete.'),
});
export type ListContacts = z.infer<typeof ListContacts>;

export const OneContact = z.object({ contact: Contact });
