import { Box, Group, Table, Text } from '@mantine/core';
import { Rows, Section } from '@parley/portal-kit/ui';
import { number, outcomes, percent, type OutcomeFigures } from './labels.ts';

/** How conversations ended, with the definition of each outcome. */
export function OutcomeTable({ total, previous }: { total: OutcomeFigures; previous: OutcomeFigures }) {
  const share = (figures: OutcomeFigures, name: (typeof outcomes)[number]['name']) =>
    figures.conversations === 0 ? null : figures[name] / figures.conversations;
  return (
    <Section
      title="Outcomes"
      description="How conversations that started in this period ended. Each has one outcome. A later rating, message or agent can change it."
    >
      {total.conversations > 0 && (
        <Group gap={2} wrap="nowrap" h={12} aria-hidden style={{ borderRadius: 6, overflow: 'hidden' }}>
          {outcomes
            .filter(({ name }) => total[name] > 0)
            .map(({ name, label, color }) => (
              <Box
                key={name}
                h="100%"
                miw={4}
                bg={color}
                title={`${label}: ${number(total[name])}`}
                style={{ flex: `${total[name]} 1 0` }}
              />
            ))}
        </Group>
      )}
      <Rows
        label="Outcomes of conversations"
        columns={[
          'Outcome',
          { label: 'Conversations', align: 'right' },
          { label: 'Share', align: 'right' },
          { label: 'Period before', align: 'right' },
        ]}
      >
        {outcomes.map(({ name, label, definition, color }) => (
          <Table.Tr key={name}>
            <Table.Td>
              <Group gap="xs" wrap="nowrap" align="flex-start">
                <Box w={10} h={10} mt={5} bg={color} aria-hidden style={{ borderRadius: 3, flexShrink: 0 }} />
                <div>
                  <Text>{label}</Text>
                  <Text size="sm" c="dimmed">
                    {definition}
                  </Text>
                </div>
              </Group>
            </Table.Td>
            <Table.Td>{number(total[name])}</Table.Td>
            <Table.Td>{percent(share(total, name))}</Table.Td>
            <Table.Td>{percent(share(previous, name))}</Table.Td>
          </Table.Tr>
        ))}
      </Rows>
    </Section>
  );
}
