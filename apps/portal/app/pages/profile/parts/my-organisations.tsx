import { Badge, Button, Group, Table, Text } from '@mantine/core';
import { post, ProblemText, Rows, Section, useAction } from '@parley/portal-kit/ui';
import { sortRoles } from '../../organisation/parts/roles.ts';

interface Props {
  organisations: { tenantId: string; name: string; roles: string[] }[];
  currentId: string;
}

export function MyOrganisations({ organisations, currentId }: Props) {
  // Quiet: the whole portal reloads for the other organisation.
  const change = useAction(
    async (tenantId: string) => {
      await post('/api/auth/switch-tenant', { tenantId });
      location.assign('/');
    },
    { isQuiet: true },
  );
  return (
    <Section title="Your organisations" description="To join another organisation, open the link in its invitation.">
      <Rows label="Organisations table" columns={['Organisation', 'Your roles', 'Actions']} hasActions>
        {organisations.map(({ tenantId, name, roles }) => (
          <Table.Tr key={tenantId}>
            <Table.Td>
              <Text fw={600}>{name}</Text>
            </Table.Td>
            <Table.Td>
              <Group gap={4}>
                {sortRoles(roles).map(({ role, name: label }) => (
                  <Badge key={role} color="gray">
                    {label}
                  </Badge>
                ))}
              </Group>
            </Table.Td>
            <Table.Td ta="right">
              {tenantId === currentId ? (
                <Text c="dimmed">Current</Text>
              ) : (
                <Button
                  size="compact-sm"
                  variant="default"
                  disabled={change.isRunning}
                  aria-label={`Switch to ${name}`}
                  onClick={() => void change.run(tenantId)}
                >
                  Switch
                </Button>
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </Rows>
      <ProblemText problem={change.problem} />
    </Section>
  );
}
