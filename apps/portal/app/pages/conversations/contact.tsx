import { Badge, Group, Stack, Text } from '@mantine/core';
import { Ago, Avatar, Facts, Id, Section, TextLink } from '@parley/portal-kit/ui';
import { labelOf } from '../contacts/attribute-types.ts';
import type { Contact } from '../contacts/people.ts';
import { ExternalLink } from './message-text.tsx';
import type { Conversation } from './states.ts';
import { TagEditor } from './tag-editor.tsx';

interface Props {
  conversation: Conversation;
  contact: Contact | null;
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
                visitor || contact ? <Ago key="seen" at={contact?.firstSeenAt ?? visitor?.createdAt} /> : undefined,
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
          {contact && <AboutContact contact={contact} />}
          <TextLink to={`/bots/${botId}`}>View bot</TextLink>
          {contactId && <TextLink to={`/contacts/${contactId}`}>View contact</TextLink>}
        </Stack>
      </Section>
    </aside>
  );
}

/** What your team and your backend noted. Edited on the contact's page. */
const AboutContact = ({ contact: { attributes, tags } }: { contact: Contact }) => (
  <>
    {tags.length > 0 && (
      <Group gap={4} role="group" aria-label="Contact tags">
        {tags.map((tag) => (
          <Badge key={tag} color="gray" tt="none">
            {tag}
          </Badge>
        ))}
      </Group>
    )}
    <Facts
      facts={Object.entries(attributes)
        .toSorted(([a], [b]) => a.localeCompare(b, 'en'))
        .map(([name, value]) => [name, labelOf(value)])}
    />
  </>
);
