import { Group, Stack, Text } from '@mantine/core';
import { Ago, Avatar, Facts, Id, Section, TextLink } from '@parley/portal-kit/ui';
import { ExternalLink } from './message-text.tsx';
import type { Conversation } from './states.ts';
import { TagEditor } from './tag-editor.tsx';

interface Props {
  conversation: Conversation;
  contact: { id: string; externalUserId: string; email: string; createdAt: string } | null;
  visitor: { label: string; createdAt: string } | null;
}

/** Who the visitor is, whether that is verified, and where they came from. */
export function ContactPane({ conversation, contact, visitor }: Props) {
  const { id, botId, pageUrl, rating, createdAt, messageCount, contactId, person } = conversation;
  return (
    <aside aria-label="Visitor details">
      <Section>
        <Stack gap="sm">
          <Group gap="sm" wrap="nowrap">
            <Avatar name={person.isKnown ? person.name : ''} id={person.id || id} kind="visitor" size={40} />
            <div style={{ minWidth: 0 }}>
              <Text fw={600} truncate>
                {person.name}
              </Text>
              <Text size="xs" c="dimmed">
                {person.isVerified ? 'Signed in, verified by your backend' : 'Not signed in'}
              </Text>
            </div>
          </Group>
          <TagEditor conversation={conversation} />
          <Facts
            facts={[
              ['Email', contact?.email || person.email || undefined],
              ['User ID', contact?.externalUserId],
              [
                'First seen',
                visitor || contact ? <Ago key="seen" at={contact?.createdAt ?? visitor?.createdAt} /> : undefined,
              ],
              [
                'Page',
                pageUrl ? (
                  <ExternalLink key="page" href={pageUrl}>
                    {pageUrl.replace(/^https?:\/\//, '')}
                  </ExternalLink>
                ) : undefined,
              ],
              ['Rating', rating === null ? 'Not rated yet' : `${rating} out of 5`],
              ['Messages', messageCount],
              ['Started', <Ago key="started" at={createdAt} />],
              ['Conversation ID', <Id key="id" id={id} />],
            ]}
          />
          <TextLink to={`/bots/${botId}`}>View bot</TextLink>
          {contactId && <TextLink to={`/contacts/${contactId}`}>View contact</TextLink>}
        </Stack>
      </Section>
    </aside>
  );
}
