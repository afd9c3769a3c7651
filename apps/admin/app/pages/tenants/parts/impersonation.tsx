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
  trimmedField,
  useAction,
  WithReason,
} from '@parley/portal-kit/ui';
import { useState, type FormEvent } from 'react';
import { useMe } from '../../../parts/me.ts';
import { denialReason } from '../../../parts/rights.ts';

interface Props {
  tenantId: string;
  members: Schemas['TenantMember'][];
  impersonations: Schemas['TenantImpersonation'][];
}

/** Impersonation of a member. The member sees the reason. */
export function ImpersonationSection({ tenantId, members, impersonations }: Props) {
  const [isOpen, setOpen] = useState(false);
  const activeMembers = members.filter(({ isDisabled }) => !isDisabled);
  const reason =
    denialReason(useMe(), 'platform.impersonate.request') ??
    (activeMembers.length === 0 ? 'This tenant has no active members.' : undefined);
  return (
    <Section
      title="Impersonation"
      description="Use the customer portal as a member for 15 minutes. The member and their organisation see your name and reason."
      actions={
        <WithReason reason={reason}>
          <Button size="xs" variant="default" disabled={!!reason} onClick={() => setOpen(true)}>
            Impersonate member
          </Button>
        </WithReason>
      }
    >
      {impersonations.length === 0 ? (
        <Text c="dimmed">No one is impersonating a member right now.</Text>
      ) : (
        <Rows
          label="Active impersonations"
          columns={['Platform admin', 'Member', 'Reason', 'Ends', 'Actions']}
          hasActions
        >
          {impersonations.map((impersonation) => (
            <Impersonation key={impersonation.sessionId} impersonation={impersonation} />
          ))}
        </Rows>
      )}
      <ImpersonateDialog tenantId={tenantId} members={activeMembers} isOpen={isOpen} onClose={() => setOpen(false)} />
    </Section>
  );
}

function Impersonation({ impersonation }: { impersonation: Schemas['TenantImpersonation'] }) {
  const me = useMe();
  const isStartedByOther = impersonation.operatorId !== me.userId && !me.permissions.includes('platform.user.manage');
  const reason =
    denialReason(me, 'platform.impersonate.request') ??
    (isStartedByOther
      ? 'Only the person who started it or someone with the Platform admin role can end it.'
      : undefined);
  const end = useAction(() =>
    call(
      api.POST('/admin/impersonations/{sessionId}/end', { params: { path: { sessionId: impersonation.sessionId } } }),
    ),
  );
  return (
    <Table.Tr>
      <Table.Td>{impersonation.operatorName}</Table.Td>
      <Table.Td>{impersonation.name}</Table.Td>
      <Table.Td maw={320}>{impersonation.reason}</Table.Td>
      <Table.Td style={{ whiteSpace: 'nowrap' }}>
        <Ago at={impersonation.expiresAt} />
      </Table.Td>
      <Table.Td ta="right">
        <ProblemText problem={end.problem} />
        <WithReason reason={reason}>
          <Button
            size="xs"
            variant="default"
            disabled={!!reason}
            loading={end.isRunning}
            onClick={() => void end.run()}
            aria-label={`End impersonation of ${impersonation.name}`}
          >
            End
          </Button>
        </WithReason>
      </Table.Td>
    </Table.Tr>
  );
}

interface ImpersonateDialogProps {
  tenantId: string;
  members: Schemas['TenantMember'][];
  isOpen: boolean;
  onClose(): void;
}

function ImpersonateDialog({ tenantId, members, isOpen, onClose }: ImpersonateDialogProps) {
  const [url, setUrl] = useState<string>();
  const createLink = useAction((userId: string, reason: string) =>
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
  const [isRequested, setRequested] = useState(false);
  const close = () => {
    setUrl(undefined);
    setRequested(false);
    onClose();
  };
  const requestApproval = (form: HTMLFormElement | null) => {
    if (!form?.reportValidity()) return;
    void request.run(trimmedField(new FormData(form), 'reason')).then((done) => setRequested(done !== undefined));
  };
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    void createLink
      .run(trimmedField(form, 'userId'), trimmedField(form, 'reason'))
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
            <ProblemText problem={isRequested ? undefined : (request.problem ?? createLink.problem)} />
            <Text role="status">
              {isRequested && 'We emailed the owners. Try again once one of them has approved.'}
            </Text>
            <Group justify="flex-end" gap="xs">
              {createLink.problem?.reason === 'support_access_required' && !isRequested && (
                <Button loading={request.isRunning} onClick={(event) => requestApproval(event.currentTarget.form)}>
                  Request approval
                </Button>
              )}
              <Button variant="default" onClick={close}>
                Cancel
              </Button>
              <Button type="submit" loading={createLink.isRunning}>
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
