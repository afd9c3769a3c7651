import { SimpleGrid, Table, Text, Title } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import { Section, Status, TextLink } from '@parley/portal-kit/ui';
import { planWith } from '../../../parts/rights.ts';
import { planName } from './member-problems.ts';
import { features, limits } from './plan-content.ts';

type Entitlements = Schemas['Entitlements'];

export function PlanIncludes({ plan, entitlements }: { plan: string; entitlements: Entitlements }) {
  return (
    <Section
      title={`Current plan: ${planName(plan)}`}
      actions={<TextLink to="/organisation/plans">{plan === 'enterprise' ? 'Compare plans' : 'Upgrade'}</TextLink>}
    >
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <div>
          <Title order={3} fz={14} mb={4}>
            Features
          </Title>
          <Table highlightOnHover={false}>
            <Table.Tbody>
              {features.map(([name, title, description]) => (
                <Table.Tr key={name}>
                  <Table.Td>
                    <Text fw={600}>{title}</Text>
                    <Text size="sm" c="dimmed">
                      {entitlements[name] > 0
                        ? description
                        : `${description} ${planWith(name).replace(/^.* available/, 'Available')}`}
                    </Text>
                  </Table.Td>
                  <Table.Td w={160}>
                    {entitlements[name] > 0 ? (
                      <Status tone="good">Included</Status>
                    ) : (
                      <Status tone="idle">Not included</Status>
                    )}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
        <div>
          <Title order={3} fz={14} mb={4}>
            Limits
          </Title>
          <Table highlightOnHover={false}>
            <Table.Tbody>
              {limits.map(([name, title, format]) => (
                <Table.Tr key={name}>
                  <Table.Td>{title}</Table.Td>
                  <Table.Td ta="right">{format(entitlements[name])}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      </SimpleGrid>
    </Section>
  );
}
