import { Badge, Button, Group, Table, Text } from '@mantine/core';
import type { Schemas } from '../../service/client.ts';
import { useAction } from '../action.tsx';
import { api, call } from '../browser.ts';
import { Section } from '../page.tsx';
import { ProblemText } from '../problem.tsx';
import { Rows } from '../rows.tsx';
import { Ago, Status } from '../small.tsx';
import { toast } from '../toast.tsx';
import { useAccountRoutes } from '../account-routes.ts';
import { browserOf, methodsOf } from './session-labels.ts';

export function Sessions({ sessions }: { sessions: Schemas['Session'][] }) {
  const at = useAccountRoutes();
  const end = useAction((id: string) => call(api.DELETE(at.session, { params: { path: { id } } })), {
    success: 'Session ended.',
  });
  const endOthers = useAction(async () => {
    const { ended } = await call(api.POST(at.endOthers));
    toast({ message: ended === 1 ? '1 session ended.' : `${ended} sessions ended.` });
  });
  const others = sessions.filter(({ isCurrent }) => !isCurrent).length;
  return (
    <Section
      title="Sessions"
      description="Where you’re signed in. If you don’t recognise a session, end it and change your password."
      actions={
        others > 0 && (
          <Button
            size="xs"
            variant="outline"
            color="red"
            loading={endOthers.isRunning}
            onClick={() => void endOthers.run()}
          >
            {others === 1 ? 'End other session' : `End ${others} other sessions`}
          </Button>
        )
      }
    >
      <Rows
        label="Sessions table"
        columns={[
          'Browser',
          'IP address',
          'Sign-in method',
          { label: 'Signed in', align: 'right' },
          { label: 'Last active', align: 'right' },
          'Actions',
        ]}
        minWidth={820}
        hasActions
      >
        {sessions.map((session) => (
          <Table.Tr key={session.id}>
            <Table.Td>
              <Group gap={6}>
                <Text title={session.userAgent}>{browserOf(session.userAgent)}</Text>
                {session.isCurrent && <Badge color="teal">This session</Badge>}
                {session.isOperator && <Status tone="warn">Impersonated by a platform admin</Status>}
              </Group>
              {session.isOperator && (
                <Text size="sm">{session.reason ? `Reason: ${session.reason}` : 'No reason given.'}</Text>
              )}
            </Table.Td>
            <Table.Td ff="monospace">{session.ip}</Table.Td>
            <Table.Td>{methodsOf(session.methods)}</Table.Td>
            <Table.Td>
              <Ago at={session.createdAt} />
            </Table.Td>
            <Table.Td>
              <Ago at={session.lastSeenAt} />
            </Table.Td>
            <Table.Td ta="right">
              {session.isCurrent ? (
                <Text size="sm" c="dimmed">
                  Sign out from the user menu
                </Text>
              ) : (
                <Button
                  size="compact-sm"
                  variant="outline"
                  color="red"
                  disabled={end.isRunning}
                  aria-label={`End session: ${browserOf(session.userAgent)}, ${session.ip}`}
                  onClick={() => void end.run(session.id)}
                >
                  End session
                </Button>
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </Rows>
      <ProblemText problem={end.problem ?? endOthers.problem} />
    </Section>
  );
}
