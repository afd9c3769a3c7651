import { Badge, Button, Group, Table, Text } from '@mantine/core';
import type { Schemas } from '../../service/client.ts';
import { useAction } from '../action.tsx';
import { api, call } from '../browser.ts';
import { Section } from '../page.tsx';
import { ProblemText } from '../problem.tsx';
import { Rows } from '../rows.tsx';
import { Ago, Status } from '../small.tsx';
import { useState } from 'react';
import { useOwnRoutes } from '../own-routes.ts';
import { browserOf, methodsOf } from './session-words.ts';

export function Sessions({ sessions }: { sessions: Schemas['Session'][] }) {
  const at = useOwnRoutes();
  const [said, setSaid] = useState('');
  const end = useAction(async (id: string) => {
    await call(api.DELETE(at.session, { params: { path: { id } } }));
    setSaid('That session has ended.');
  });
  const endOthers = useAction(async () => {
    const { ended } = await call(api.POST(at.endOthers));
    setSaid(ended === 1 ? 'One session has ended.' : `${ended} sessions have ended.`);
  });
  const others = sessions.filter(({ isCurrent }) => !isCurrent).length;
  return (
    <Section
      title="Sessions"
      about="Where you are signed in. End what you do not know, then change your password."
      actions={
        others > 0 && (
          <Button
            size="xs"
            variant="outline"
            color="red"
            loading={endOthers.isRunning}
            onClick={() => void endOthers.run()}
          >
            {others === 1 ? 'End the other session' : `End all ${others} others`}
          </Button>
        )
      }
    >
      <Rows
        label="List of sessions"
        heads={['Browser', 'Address', 'Signed in by', 'Began', 'Last seen', 'What you can do']}
        minWidth={820}
        hasActions
      >
        {sessions.map((session) => (
          <Table.Tr key={session.id}>
            <Table.Td>
              <Group gap={6}>
                <Text title={session.userAgent}>{browserOf(session.userAgent)}</Text>
                {session.isCurrent && <Badge color="teal">this session</Badge>}
                {session.isOperator && <Status tone="warn">operator in your place</Status>}
              </Group>
              {session.isOperator && (
                <Text size="sm">{session.reason ? `Their reason: ${session.reason}` : 'They gave no reason.'}</Text>
              )}
            </Table.Td>
            <Table.Td ff="monospace">{session.address}</Table.Td>
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
                  Sign out by the menu
                </Text>
              ) : (
                <Button
                  size="compact-sm"
                  variant="outline"
                  color="red"
                  disabled={end.isRunning}
                  aria-label={`End session of ${browserOf(session.userAgent)} at ${session.address}`}
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
      <Text role="status">{said}</Text>
    </Section>
  );
}
