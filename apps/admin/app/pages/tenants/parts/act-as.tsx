import { Button, Group, NativeSelect, Stack, Table, Text, Textarea } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import {
  Ago,
  api,
  call,
  Dialog,
  ProblemText,
  Rows,
  Section,
  textIn,
  useAction,
  WithReason,
} from '@parley/portal-kit/ui';
import { useState, type FormEvent } from 'react';
import { useMe } from '../../../parts/me.ts';
import { whyNot } from '../../../parts/rights.ts';

interface Props {
  tenantId: string;
  members: Schemas['TenantMember'][];
  visits: Schemas['RunningVisit'][];
}

/** To see what a member sees, with a reason that they see too. */
export function ActAs({ tenantId, members, visits }: Props) {
  const [isOpen, setOpen] = useState(false);
  const able = members.filter(({ isDisabled }) => !isDisabled);
  const reason =
    whyNot(useMe(), 'platform.impersonate.request') ??
    (able.length === 0 ? 'This tenant has no member who can sign in.' : undefined);
  return (
    <Section
      title="Act as a member"
      about="For fifteen minutes, in the customer portal. The member and their tenant see who, and why."
      actions={
        <WithReason reason={reason}>
          <Button size="xs" variant="default" disabled={!!reason} onClick={() => setOpen(true)}>
            Act as a member
          </Button>
        </WithReason>
      }
    >
      {visits.length === 0 ? (
        <Text c="dimmed">Nobody is in a member’s place at the moment.</Text>
      ) : (
        <Rows
          label="Table of operators in somebody’s place"
          heads={['Operator', 'Acts as', 'Reason', 'Ends', 'Actions']}
          hasActions
        >
          {visits.map((visit) => (
            <Visit key={visit.sessionId} visit={visit} />
          ))}
        </Rows>
      )}
      <Ask tenantId={tenantId} members={able} isOpen={isOpen} onClose={() => setOpen(false)} />
    </Section>
  );
}

function Visit({ visit }: { visit: Schemas['RunningVisit'] }) {
  const me = useMe();
  const isTheirs = visit.operatorId !== me.userId && !me.permissions.includes('platform.user.manage');
  const why =
    whyNot(me, 'platform.impersonate.request') ??
    (isTheirs ? 'This is for the operator who started it, or for a platform admin.' : undefined);
  const end = useAction(() =>
    call(api.POST('/admin/impersonations/{sessionId}/end', { params: { path: { sessionId: visit.sessionId } } })),
  );
  return (
    <Table.Tr>
      <Table.Td>{visit.operatorName}</Table.Td>
      <Table.Td>{visit.name}</Table.Td>
      <Table.Td maw={320}>{visit.reason}</Table.Td>
      <Table.Td style={{ whiteSpace: 'nowrap' }}>
        <Ago at={visit.expiresAt} />
      </Table.Td>
      <Table.Td ta="right">
        <ProblemText problem={end.problem} />
        <WithReason reason={why}>
          <Button
            size="xs"
            variant="default"
            disabled={!!why}
            loading={end.isRunning}
            onClick={() => void end.run()}
            aria-label={`End the visit as ${visit.name}`}
          >
            End
          </Button>
        </WithReason>
      </Table.Td>
    </Table.Tr>
  );
}

interface AskProps {
  tenantId: string;
  members: Schemas['TenantMember'][];
  isOpen: boolean;
  onClose(): void;
}

function Ask({ tenantId, members, isOpen, onClose }: AskProps) {
  const [url, setUrl] = useState<string>();
  const offer = useAction((userId: string, reason: string) =>
    call(
      api.POST('/admin/tenants/{id}/impersonate/handover', {
        params: { path: { id: tenantId } },
        body: { userId, reason },
      }),
    ),
  );
  const close = () => {
    setUrl(undefined);
    onClose();
  };
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    void offer.run(textIn(form, 'userId'), textIn(form, 'reason')).then((done) => done && setUrl(done.handoverUrl));
  };
  return (
    <Dialog isOpen={isOpen} onClose={close} title="Act as a member">
      {url === undefined ? (
        <form onSubmit={send}>
          <Stack>
            <NativeSelect
              name="userId"
              label="Member"
              required
              data={members.map(({ userId, name, email, roles }) => ({
                value: userId,
                label: `${name} (${email}), ${roles.join(', ')}`,
              }))}
            />
            <Textarea
              name="reason"
              label="Reason"
              description="The member and their tenant read it, with your name."
              minLength={3}
              maxLength={500}
              required
              autosize
              minRows={2}
            />
            <ProblemText problem={offer.problem} />
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={close}>
                Cancel
              </Button>
              <Button type="submit" loading={offer.isRunning}>
                Go on
              </Button>
            </Group>
          </Stack>
        </form>
      ) : (
        <Stack>
          <Text>
            The way into the customer portal is open for one minute and works once. It asks once more before anything
            happens.
          </Text>
          <Group justify="flex-end">
            <Button component="a" href={url} target="_blank" rel="noopener noreferrer" onClick={close}>
              Open the customer portal
            </Button>
          </Group>
        </Stack>
      )}
    </Dialog>
  );
}
