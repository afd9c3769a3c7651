import { isDeepStrictEqual } from 'node:util';
import { invalid } from '../../platform/errors.ts';
import { tagToken } from '../../platform/search-tokens.ts';
import { maxAttributes, type Attributes, type Contact, type UpdateContact } from './contacts.contract.ts';

type ContactFields = Pick<Contact, 'name' | 'email' | 'attributes' | 'tags'>;

/** The contact's fields after a change. undefined: it changes nothing. */
export function fieldsAfter(
  { name, email, attributes, tags }: ContactFields,
  change: UpdateContact,
): ContactFields | undefined {
  const after = {
    name: change.name === undefined ? name : change.name,
    email: change.email ?? email,
    attributes: change.attributes ? mergeAttributes(attributes, change.attributes) : attributes,
    tags: change.tags ? uniqueTags(change.tags) : tags,
  };
  return isDeepStrictEqual(after, { name, email, attributes, tags }) ? undefined : after;
}

/** Attributes that are not named stay; null removes one. */
function mergeAttributes(before: Attributes, changes: NonNullable<UpdateContact['attributes']>): Attributes {
  const merged = Object.entries({ ...before, ...changes }).flatMap(([name, value]) =>
    value === null ? [] : [[name, value] as const],
  );
  if (merged.length > maxAttributes)
    throw invalid('too_many_attributes', [
      {
        path: '/attributes',
        message: `A contact has at most ${maxAttributes} attributes. Remove one with null first.`,
      },
    ]);
  return Object.fromEntries(merged);
}

/** The first spelling of each: tags are the same in any case. */
const uniqueTags = (tags: readonly string[]): string[] =>
  [...new Map(tags.toReversed().map((tag) => [tagToken(tag), tag])).values()].toReversed();
