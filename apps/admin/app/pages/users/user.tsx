import { Button, Group, List, Stack, Text, Textarea } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import type { Schemas } from '@parley/portal-kit/service';
import {
  Ago,
  api,
  call,
  DetailColumns,
  Dialog,
  Facts,
  field,
  Id,
  Page,
  ProblemText,
  SaveBar,
  Section,
  Status,
  TextLink,
  toast,
  useAction,
  WithReason,
} from '@parley/portal-kit/ui';
import { useState, type FormEvent } from 'react';
import { data, useLoaderData, type LoaderFunctionArgs } from 'react-router';
import { ErrorPage } from '../../parts/error-page.tsx';
import { useMe } from '../../parts/me.ts';
import { denialReason } from '../../parts/rights.ts';
import { Roles } from './create-operator.tsx';
import { isPool, type Role } from './labels.ts';

export const meta = () => [{ title: 'User · Parley admin' }];
export const ErrorBoundary = ErrorPage;

export async function loader({ context, request, params }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const pool = params['pool'];
  if (!isPool(pool)) throw data(null, { status: 404 });
  const userRequest = { params: { path: { id: params['userId'] ?? '' }, query: { pool } } };
  return read(await service.GET('/admin/users/{id}', userRequest), request);
}

type Person = Schemas['Person'] & { tenantIds: string[] };

export default function User() {
  const { user } = useLoaderData<typeof loader>();
  const me = useMe();
  const reason = denialReason(me, 'platform.user.manage');
  return (
    <Page
      title={user.name || user.email}
      breadcrumb={[
        {
          to: `/users?pool=${user.pool}`,
          label: user.pool === 'admin' ? 'All platform admins' : 'All tenant members',
        },
      ]}
      state={user.isDisabled ? <Status tone="bad">Disabled</Status> : <Status tone="good">Active</Status>}
      description={user.pool === 'admin' ? 'Platform admin' : 'Tenant member'}
    >
      <DetailColumns
        facts={
          <Section title="Account">
            <Facts
              facts={[
                ['Email', user.email],
                ['Two-factor authentication', user.mfaEnabled ? 'On' : 'Off'],
                ['Created', <Ago key="created" at={user.createdAt} />],
                ['User ID', <Id key="id" id={user.userId} />],
              ]}
            />
          </Section>
        }
      >
        {user.pool === 'customer' ? (
          <Section title="Tenants">
            {user.tenantIds.length === 0 ? (
              <Text c="dimmed">Not a member of any tenant.</Text>
            ) : (
              <List>
                {user.tenantIds.map((id) => (
                  <List.Item key={id}>
                    <TextLink to={`/tenants/${id}/health`}>{id}</TextLink>
                  </List.Item>
                ))}
              </List>
            )}
          </Section>
        ) : (
          <ChangeRoles key={user.roles.join()} user={user} reason={reason} />
        )}
        <Access
          user={user}
          reason={
            reason ??
            (user.userId === me.userId ? 'You can’t change your own access. Ask another platform admin.' : undefined)
          }
        />
      </DetailColumns>
    </Page>
  );
}

interface Props {
  user: Person;
  reason: string | undefined;
}

function ChangeRoles({ user, reason }: Props) {
  const [chosen, setChosen] = useState<string[]>(user.roles);
  const path = { id: user.userId };
  const change = useAction(
    () => call(api.PATCH('/admin/users/{id}', { params: { path }, body: { roles: chosen as Role[] } })),
    { success: 'Roles saved.' },
  );
  const resend = useAction(() => call(api.POST('/admin/users/{id}/resend-welcome', { params: { path } })), {
    success: 'Welcome email sent. The previous link no longer works.',
  });
  return (
    <Section title="Roles" description="Changes take effect within 5 seconds. You’ll be asked to confirm it’s you.">
      <Roles chosen={chosen} onChange={setChosen} />
      <ProblemText problem={resend.problem} />
      <WithReason reason={reason}>
        <Button
          w="fit-content"
          variant="default"
          disabled={!!reason}
          loading={resend.isRunning}
          onClick={() => void resend.run()}
        >
          Resend welcome email
        </Button>
      </WithReason>
      <SaveBar
        isDirty={chosen.toSorted().join() !== user.roles.toSorted().join()}
        onSave={() => void change.run()}
        onDiscard={() => {
          setChosen(user.roles);
          change.clear();
        }}
        isSaving={change.isRunning}
        problem={change.problem}
        saveLabel="Save roles"
        reason={reason}
        isBlocked={chosen.length === 0}
      />
    </Section>
  );
}

function Access({ user, reason }: Props) {
  const [isOpen, setOpen] = useState(false);
  const path = { id: user.userId };
  const { pool } = user;
  const disable = useAction((text: string) =>
    call(api.POST('/admin/users/{id}/disable', { params: { path }, body: { pool, reason: text } })),
  );
  const enable = useAction(() => call(api.POST('/admin/users/{id}/enable', { params: { path }, body: { pool } })));
  const end = useAction(async () => {
    const { ended } = await call(api.POST('/admin/users/{id}/end-sessions', { params: { path }, body: { pool } }));
    toast({
      message: ended === 0 ? 'No active sessions.' : ended === 1 ? '1 session ended.' : `${ended} sessions ended.`,
    });
  });
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    void disable.run(field(event.currentTarget, 'reason').trim()).then((done) => done && setOpen(false));
  };
  return (
    <Section
      title="Access"
      description={
        user.isDisabled
          ? 'This user can’t sign in. Everything they created is unchanged.'
          : 'Ending sessions signs the user out everywhere within 5 seconds. Disabling the account also blocks new sign-ins.'
      }
    >
      <ProblemText problem={enable.problem ?? end.problem} />
      <Group gap="xs">
        <WithReason reason={reason}>
          <Button variant="default" disabled={!!reason} loading={end.isRunning} onClick={() => void end.run()}>
            End all sessions
          </Button>
        </WithReason>
        <WithReason reason={reason}>
          {user.isDisabled ? (
            <Button disabled={!!reason} loading={enable.isRunning} onClick={() => void enable.run()}>
              Enable account
            </Button>
          ) : (
            <Button color="red" variant="outline" disabled={!!reason} onClick={() => setOpen(true)}>
              Disable account
            </Button>
          )}
        </WithReason>
      </Group>
      <Dialog isOpen={isOpen} onClose={() => setOpen(false)} title={`Disable ${user.email}?`}>
        <form onSubmit={send}>
          <Stack>
            <Text>
              They’re signed out everywhere within 5 seconds and can’t sign in until you enable the account again.
            </Text>
            <Textarea
              name="reason"
              label="Reason"
              description="Saved to the audit log."
              minLength={3}
              maxLength={500}
              required
              data-autofocus
            />
            <ProblemText problem={disable.problem} />
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={() => setOpen(false)}>
                Cancel
              </Button>
              <Button type="submit" color="red" loading={disable.isRunning}>
                Disable account
              </Button>
            </Group>
          </Stack>
        </form>
      </Dialog>
    </Section>
  );
}
