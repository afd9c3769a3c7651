import { Badge, Button, Group, Table, Text } from '@mantine/core';
import { post, ProblemText, Rows, Section, useAction } from '@parley/portal-kit/ui';
import { inOrder } from '../../organisation/parts/roles.ts';

interface Props {
  mine: { tenantId: string; name: string; roles: string[] }[];
  here: string;
}

export function MyOrganisations({ mine, here }: Props) {
  // Quiet: the whole portal reloads for the other organisation.
  const change = useAction(
    async (tenantId: string) => {
      await post('/api/auth/switch-tenant', { tenantId });
      location.assign('/');
    },
    { isQuiet: true },
  );
  return (
    <Section title="Your organisations" about="To join another organisation, open the link in its invitation.">
      <Rows label="Organisations table" heads={['Organisation', 'Your roles', 'Actions']} hasActions>
        {mine.map(({ tenantId, name, roles }) => (
          <Table.Tr key={tenantId}>
            <Table.Td>
              <Text fw={600}>{name}</Text>
            </Table.Td>
            <Table.Td>
              <Group gap={4}>
                {inOrder(roles).map(({ role, name: word }) => (
                  <Badge key={role} color="gray">
                    {word}
                  </Badge>
                ))}
              </Group>
            </Table.Td>
            <Table.Td ta="right">
              {tenantId === here ? (
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
