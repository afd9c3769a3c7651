import type { Schemas } from '@parley/portal-kit/service';
import { Box, Button, Group, Stack, Table, Text } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import {
  Ago,
  Avatar,
  DetailColumns,
  Empty,
  Facts,
  Id,
  keepLast,
  Page,
  Rows,
  Section,
  Status,
  TextLink,
  WithReason,
} from '@parley/portal-kit/ui';
import { IconPencil } from '@tabler/icons-react';
import { useState } from 'react';
import { useLoaderData, type LoaderFunctionArgs } from 'react-router';
import { ErrorPage } from '../../parts/error-page.tsx';
import { useMe } from '../../parts/me.ts';
import { denialReason } from '../../parts/rights.ts';
import { stateLabels, stripMarkdown } from '../conversations/states.ts';
import { Attributes } from './attributes.tsx';
import { EditContact } from './edit-contact.tsx';
import { nameOf } from './people.ts';
import { PersonalData } from './personal-data.tsx';
import { ContactTags } from './tags.tsx';

export const meta = () => [{ title: 'Contact · Parley' }];
export const ErrorBoundary = ErrorPage;

export async function loader({ context, params, request }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const [details, environments, bots] = await Promise.all([
    service.GET('/contacts/{id}', { params: { path: { id: params['contactId'] ?? '' } } }),
    service.GET('/environments', { params: { query: { limit: 100 } } }),
    service.GET('/bots', { params: { query: { limit: 100 } } }),
  ]);
  const { contact, conversations } = read(details, request);
  return {
    contact,
    conversations,
    environment: environments.data?.data.find(({ id }) => id === contact.environmentId)?.name ?? '',
    botNames: Object.fromEntries((bots.data?.data ?? []).map(({ id, name }) => [id, name])),
  };
}

export const clientLoader = keepLast<typeof loader>();

export default function ContactPage() {
  const { contact, conversations, environment, botNames } = useLoaderData<typeof loader>();
  const [isEditing, setEditing] = useState(false);
  const reason = denialReason(useMe(), 'contact.update');
  return (
    <Page
      title={nameOf(contact)}
      breadcrumb={[{ to: '/contacts', label: 'Contacts' }]}
      actions={
        <WithReason reason={reason}>
          <Button
            variant="default"
            leftSection={<IconPencil size={16} aria-hidden />}
            disabled={reason !== undefined}
            onClick={() => setEditing(true)}
          >
            Edit
          </Button>
        </WithReason>
      }
    >
      <DetailColumns
        facts={
          <>
            <Section title="Details">
              <Group gap="sm" wrap="nowrap">
                <Avatar name={nameOf(contact)} id={contact.id} size={40} />
                <Box miw={0}>
                  <Text fw={600} truncate>
                    {nameOf(contact)}
                  </Text>
                  <Text c="dimmed" truncate>
                    {contact.email}
                  </Text>
                </Box>
              </Group>
              <Facts
                facts={[
                  ['User ID', contact.externalUserId],
                  ['Environment', environment],
                  ['First seen', <Ago key="first" at={contact.firstSeenAt} />],
                  ['Last seen', <Ago key="last" at={contact.lastSeenAt} />],
                  ['Contact ID', <Id key="id" id={contact.id} />],
                ]}
              />
            </Section>
            <ContactTags contact={contact} />
            <Attributes contact={contact} />
            <PersonalData contact={contact} />
          </>
        }
      >
        <Section
          title="Conversations"
          actions={
            conversations.length > 0 && <TextLink to={`/conversations?contactId=${contact.id}`}>View in inbox</TextLink>
          }
        >
          {conversations.length === 0 ? (
            <Empty title="No conversations yet" drawing="messages">
              This user was identified, but hasn’t sent a message yet.
            </Empty>
          ) : (
            <ConversationTable conversations={conversations} botNames={botNames} />
          )}
        </Section>
      </DetailColumns>
      <EditContact contact={contact} isOpen={isEditing} onClose={() => setEditing(false)} />
    </Page>
  );
}

interface TableProps {
  conversations: Schemas['Conversation'][];
  botNames: Record<string, string>;
}
const ConversationTable = ({ conversations, botNames }: TableProps) => (
  <Rows
    label="Conversations of this contact"
    columns={['Conversation', { label: 'Messages', align: 'right' }, 'Last message']}
    minWidth={480}
  >
    {conversations.map(({ id, preview, botId, state, rating, messageCount, lastMessageAt }) => (
      <Table.Tr key={id}>
        <Table.Td maw={340}>
          <Stack gap={2}>
            <Text truncate fw={500}>
              <TextLink to={`/conversations/${id}`}>{stripMarkdown(preview) || 'No messages yet'}</TextLink>
            </Text>
            <Group gap="xs">
              <Status tone={stateLabels[state].tone}>{stateLabels[state].label}</Status>
              <Text span size="sm" c="dimmed">
                {botNames[botId] ?? 'Bot'}
                {rating !== null && ` · rated ${rating} out of 5`}
              </Text>
            </Group>
          </Stack>
        </Table.Td>
        <Table.Td>{messageCount}</Table.Td>
        <Table.Td>
          <Ago at={lastMessageAt} />
        </Table.Td>
      </Table.Tr>
    ))}
  </Rows>
);
