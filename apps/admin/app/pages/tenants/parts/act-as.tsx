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
  impersonations: Schemas['TenantImpersonation'][];
}

/** To see what a member sees, with a reason that they see too. */
export function ActAs({ tenantId, members, impersonations: visits }: Props) {
  const [isOpen, setOpen] = useState(false);
  const able = members.filter(({ isDisabled }) => !isDisabled);
  const reason =
    whyNot(useMe(), 'platform.impersonate.request') ??
    (able.length === 0 ? 'This tenant has no active members.' : undefined);
  return (
    <Section
      title="Impersonation"
      about="Use the customer portal as a member for 15 minutes. The member and their organisation see your name and reason."
      actions={
        <WithReason reason={reason}>
          <Button size="xs" variant="default" disabled={!!reason} onClick={() => setOpen(true)}>
            Impersonate member
          </Button>
        </WithReason>
      }
    >
      {visits.length === 0 ? (
        <Text c="dimmed">No one is impersonating a member right now.</Text>
      ) : (
        <Rows
          label="Active impersonations"
          heads={['Platform admin', 'Member', 'Reason', 'Ends', 'Actions']}
          hasActions
        >
          {visits.map((impersonation) => (
            <Impersonation key={impersonation.sessionId} impersonation={impersonation} />
          ))}
        </Rows>
      )}
      <Ask tenantId={tenantId} members={able} isOpen={isOpen} onClose={() => setOpen(false)} />
    </Section>
  );
}

function Impersonation({ impersonation: visit }: { impersonation: Schemas['TenantImpersonation'] }) {
  const me = useMe();
  const isTheirs = visit.operatorId !== me.userId && !me.permissions.includes('platform.user.manage');
  const why =
    whyNot(me, 'platform.impersonate.request') ??
    (isTheirs ? 'Only the person who started it or someone with the Platform admin role can end it.' : undefined);
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
            aria-label={`End impersonation of ${visit.name}`}
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
      api.POST('/admin/tenants/{id}/impersonate/portal-link', {
        params: { path: { id: tenantId } },
        body: { userId, reason },
      }),
    ),
  );
  const request = useAction((reason: string) =>
    call(api.POST('/admin/tenants/{id}/support-requests', { params: { path: { id: tenantId } }, body: { reason } })),
  );
  const [isAsked, setAsked] = useState(false);
  const close = () => {
    setUrl(undefined);
    setAsked(false);
    onClose();
  };
  const askOwners = (form: HTMLFormElement | null) => {
    if (!form?.reportValidity()) return;
    void request.run(textIn(new FormData(form), 'reason')).then((done) => setAsked(done !== undefined));
  };
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    void offer
      .run(textIn(form, 'userId'), textIn(form, 'reason'))
      .then((done) => done && setUrl(done.impersonationUrl));
  };
  return (
    <Dialog isOpen={isOpen} onClose={close} title="Impersonate member">
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
              description="The member and their organisation see this with your name."
              minLength={3}
              maxLength={500}
              required
              autosize
              minRows={2}
            />
            <ProblemText problem={isAsked ? undefined : (request.problem ?? offer.problem)} />
            <Text role="status">{isAsked && 'We emailed the owners. Try again once one of them has approved.'}</Text>
            <Group justify="flex-end" gap="xs">
              {offer.problem?.reason === 'support_access_required' && !isAsked && (
                <Button loading={request.isRunning} onClick={(event) => askOwners(event.currentTarget.form)}>
                  Request approval
                </Button>
              )}
              <Button variant="default" onClick={close}>
                Cancel
              </Button>
              <Button type="submit" loading={offer.isRunning}>
                Continue
              </Button>
            </Group>
          </Stack>
        </form>
      ) : (
        <Stack>
          <Text>
            This link to the customer portal works once and expires in one minute. You’ll be asked to confirm before the
            impersonation starts.
          </Text>
          <Group justify="flex-end">
            <Button component="a" href={url} target="_blank" rel="noopener noreferrer" onClick={close}>
              Open customer portal
            </Button>
          </Group>
        </Stack>
      )}
    </Dialog>
  );
}
