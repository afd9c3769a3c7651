import { Group, Loader, Table, Text } from '@mantine/core';
import { Ago, Rows, Section, Status } from '@parley/portal-kit/ui';
import { useBot } from './bot-data.ts';

interface Install {
  origin: string;
  firstSeenAt: string;
  lastSeenAt: string;
}

/** The websites on which the widget was loaded. */
export function Installs({ installs }: { installs: Install[] }) {
  const { bot, newest } = useBot();
  if (installs.length === 0)
    return (
      <Section title="Status">
        <Group gap="xs" wrap="nowrap" role="status">
          {newest && <Loader size="xs" aria-hidden />}
          <Text>
            {newest
              ? 'Not seen on a website yet. Open your page in a browser, and it shows up here within seconds.'
              : 'Publish the bot first. Until then, the chat stays hidden on your website.'}
          </Text>
        </Group>
      </Section>
    );
  return (
    <Section title="Status" description={`Websites that loaded ${bot.name} in a browser.`}>
      <Rows
        label="Websites"
        columns={['Website', 'Status', { label: 'First seen', align: 'right' }, { label: 'Last seen', align: 'right' }]}
        minWidth={480}
      >
        {installs.map(({ origin, firstSeenAt, lastSeenAt }) => (
          <Table.Tr key={origin}>
            <Table.Td>{origin.replace(/^https?:\/\//, '')}</Table.Td>
            <Table.Td>
              <Status tone="good">Installed</Status>
            </Table.Td>
            <Table.Td>
              <Ago at={firstSeenAt} />
            </Table.Td>
            <Table.Td>
              <Ago at={lastSeenAt} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Rows>
    </Section>
  );
}
