import { Stack, Text } from '@mantine/core';
import { Ago, Id, Section, TextLink } from '@parley/portal-kit/ui';
import type { ReactNode } from 'react';
import { ExternalLink } from './message-text.tsx';
import { nameOfVisitor, type Conversation } from './states.ts';

interface Props {
  conversation: Conversation;
  contact: { id: string; externalUserId: string; email: string; createdAt: string } | null;
  visitor: { label: string; createdAt: string } | null;
}

/** The visitor's identity, whether it is verified, and their origin. */
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
            <ExternalLink href={pageUrl}>{pageUrl.replace(/^https?:\/\//, '')}</ExternalLink>
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
