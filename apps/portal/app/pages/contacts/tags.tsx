import { TagsInput } from '@mantine/core';
import { api, call, ProblemText, Section, useAction } from '@parley/portal-kit/ui';
import { useState } from 'react';
import { useMe } from '../../parts/me.ts';
import { denialReason } from '../../parts/rights.ts';
import type { Contact } from './people.ts';

/** Saved with each change. */
export function ContactTags({ contact: { id, tags } }: { contact: Contact }) {
  const reason = denialReason(useMe(), 'contact.update');
  /** While a change is being saved. */
  const [pending, setPending] = useState<string[]>();
  const save = useAction((next: string[]) =>
    call(api.PATCH('/contacts/{id}', { params: { path: { id } }, body: { tags: next } })),
  );
  const change = async (next: string[]) => {
    setPending(next);
    await save.run(next);
    setPending(undefined);
  };
  return (
    <Section title="Tags">
      <TagsInput
        aria-label="Tags"
        value={pending ?? tags}
        onChange={(next) => void change(next)}
        placeholder={(pending ?? tags).length === 0 ? 'Add a tag and press Enter' : ''}
        maxTags={20}
        maxLength={40}
        readOnly={reason !== undefined}
        {...(reason && { description: reason })}
      />
      <ProblemText problem={save.problem} />
    </Section>
  );
}
