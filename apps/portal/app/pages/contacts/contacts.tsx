import { Badge, Box, Group, Table, Text } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import {
  Ago,
  Avatar,
  Empty,
  FilterChips,
  keepLast,
  LiveSearch,
  Page,
  Pager,
  Rows,
  Section,
  TextLink,
  useChangedSearch,
} from '@parley/portal-kit/ui';
import { useLoaderData, useSearchParams, type LoaderFunctionArgs } from 'react-router';
import { environmentOptions } from '../../parts/environments.ts';
import { nameOf, type Contact } from './people.ts';

export const meta = () => [{ title: 'Contacts · Parley' }];

export async function loader({ context, request }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const { q, tag, environmentId, cursor } = Object.fromEntries(new URL(request.url).searchParams);
  const query = {
    limit: 50,
    ...(q && { q }),
    ...(tag && { tag }),
    ...(environmentId && { environmentId }),
    ...(cursor && { cursor }),
  };
  const [contacts, environments] = await Promise.all([
    service.GET('/contacts', { params: { query } }),
    environmentOptions(service),
  ]);
  const { data, nextCursor } = read(contacts, request);
  return {
    contacts: data,
    nextCursor,
    environments,
  };
}

export const clientLoader = keepLast<typeof loader>();

type Row = Contact & { conversationCount: number };

export default function Contacts() {
  const { contacts, nextCursor, environments } = useLoaderData<typeof loader>();
  const [search] = useSearchParams();
  const isFiltered = ['q', 'tag', 'environmentId'].some((name) => search.has(name));
  const tags = [...new Set([...contacts.flatMap((contact) => contact.tags), ...search.getAll('tag')])].toSorted();
  return (
    <Page title="Contacts" description="Your users, as identified by your website.">
      {contacts.length > 0 || isFiltered || search.has('cursor') ? (
        <>
          <Group gap="sm">
            <Search />
            <FilterChips
              filters={[
                { name: 'tag', label: 'Tag', options: tags.map((tag) => ({ value: tag, label: tag })) },
                { name: 'environmentId', label: 'Environment', options: environments },
              ].filter(({ options }) => options.length > 0)}
            />
          </Group>
          <Section>{contacts.length > 0 ? <ContactTable contacts={contacts} /> : <NoMatches />}</Section>
          <Pager nextCursor={nextCursor} />
        </>
      ) : (
        <Section>
          <NoContacts />
        </Section>
      )}
    </Page>
  );
}

function Search() {
  const [search, setSearch] = useSearchParams();
  const changed = useChangedSearch();
  return (
    <LiveSearch
      query={search.get('q') ?? ''}
      onSearch={(q) => setSearch(changed({ q }), { replace: true, preventScrollReset: true })}
      aria-label="Search contacts"
      placeholder="Search by name, email or ID (/)"
      w={{ base: '100%', sm: 320 }}
    />
  );
}

const ContactTable = ({ contacts }: { contacts: Row[] }) => (
  <Rows
    label="Contacts"
    columns={['Contact', 'Tags', { label: 'Conversations', align: 'right' }, 'Last seen']}
    minWidth={640}
  >
    {contacts.map((contact) => (
      <Table.Tr key={contact.id}>
        <Table.Td maw={360}>
          <Group gap="sm" wrap="nowrap">
            <Avatar name={nameOf(contact)} id={contact.id} size={32} />
            <Box miw={0}>
              <Text truncate fw={500}>
                <TextLink to={`/contacts/${contact.id}`}>{nameOf(contact)}</TextLink>
              </Text>
              <Text truncate size="sm" c="dimmed">
                {contact.name ? contact.email : contact.externalUserId}
              </Text>
            </Box>
          </Group>
        </Table.Td>
        <Table.Td>
          <Tags tags={contact.tags} />
        </Table.Td>
        <Table.Td>{contact.conversationCount >= maxCounted ? `${maxCounted}+` : contact.conversationCount}</Table.Td>
        <Table.Td>
          <Ago at={contact.lastSeenAt} />
        </Table.Td>
      </Table.Tr>
    ))}
  </Rows>
);

/** The API counts up to this. */
const maxCounted = 100;
const maxTags = 3;
const Tags = ({ tags }: { tags: string[] }) => (
  <Group gap={4}>
    {tags.slice(0, maxTags).map((tag) => (
      <Badge key={tag} color="gray" tt="none">
        {tag}
      </Badge>
    ))}
    {tags.length > maxTags && (
      <Text span size="sm" c="dimmed" title={tags.slice(maxTags).join(', ')}>
        +{tags.length - maxTags}
      </Text>
    )}
  </Group>
);

const NoMatches = () => (
  <Empty title="No results" drawing="search" action={<TextLink to="/contacts">Clear search and filters</TextLink>}>
    No contacts match your search and filters.
  </Empty>
);

const NoContacts = () => (
  <Empty
    title="No contacts yet"
    drawing="people"
    action={<TextLink to="/developers">Connect your website’s sign-in</TextLink>}
  >
    When your website identifies a signed-in user, they appear here with their conversations.
  </Empty>
);
