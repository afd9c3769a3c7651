import { Stack, Text } from '@mantine/core';
import { Ago, Id, Section, TextLink } from '@parley/portal-kit/ui';
import type { ReactNode } from 'react';
import { Away } from './said.tsx';
import { nameOfVisitor, type Conversation } from './states.ts';

interface Props {
  conversation: Conversation;
  contact: { id: string; externalUserId: string; email: string; createdAt: string } | null;
  visitor: { label: string; createdAt: string } | null;
}

/** Who it is, as far as anybody vouched for it, and where they came from. */
export const ContactPane = ({
  conversation: { id, botId, pageUrl, rating, createdAt, messageCount, contactId },
  contact,
  visitor,
}: Props) => (
  <aside aria-label="Visitor details">
    <Section title="Visitor">
      <Stack gap="xs">
        {contact ? (
          <>
            <Field label="Email">{contact.email || 'Unknown'}</Field>
            <Field label="User ID">{contact.externalUserId}</Field>
            <Field label="Contact since">
              <Ago at={contact.createdAt} />
            </Field>
          </>
        ) : (
          <>
            <Field label="Name">{nameOfVisitor(visitor)} (not signed in)</Field>
            {visitor && (
              <Field label="First seen">
                <Ago at={visitor.createdAt} />
              </Field>
            )}
          </>
        )}
        {pageUrl && (
          <Field label="Page">
            <Away href={pageUrl}>{pageUrl.replace(/^https?:\/\//, '')}</Away>
          </Field>
        )}
        <Field label="Rating">{rating === null ? 'Not rated yet' : `${rating} out of 5`}</Field>
        <Field label="Messages">{messageCount}</Field>
        <Field label="Started">
          <Ago at={createdAt} />
        </Field>
        <Field label="Conversation ID">
          <Id id={id} />
        </Field>
        <TextLink to={`/bots/${botId}`}>View bot</TextLink>
        {contactId && (
          <TextLink to={`/conversations?q=${encodeURIComponent(contact?.email ?? '')}`}>All conversations</TextLink>
        )}
      </Stack>
    </Section>
  </aside>
);

const Field = ({ label, children }: { label: string; children: ReactNode }) => (
  <div>
    <Text size="xs" c="dimmed">
      {label}
    </Text>
    <Text component="div" style={{ overflowWrap: 'anywhere' }}>
      {children}
    </Text>
  </div>
);
