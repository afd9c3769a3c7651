import { Anchor, Button, Stack, Text } from '@mantine/core';
import { portalContext, signInPath } from '@parley/portal-kit/context';
import { AccountPage, api, call, post, ProblemText, useAction } from '@parley/portal-kit/ui';
import { redirect, useLoaderData, type LoaderFunctionArgs } from 'react-router';

export const meta = () => [{ title: 'Accept invitation · Parley' }];

export async function loader({ context, request }: LoaderFunctionArgs) {
  const { service, isSignedIn, site } = context.get(portalContext);
  const token = new URL(request.url).searchParams.get('token')?.slice(0, 200) ?? '';
  const [invitation, me] = await Promise.all([
    service.POST('/auth/invitations/preview', { body: { token: token || 'none' } }),
    isSignedIn ? service.GET('/me') : undefined,
  ]);
  if (invitation.data && !invitation.data.hasAccount)
    throw redirect(`${site.apiUrl}/pools/customer/invitation?${new URLSearchParams({ token }).toString()}`);
  if (invitation.data && !me?.data) throw redirect(signInPath(request));
  return { invitation: invitation.data ?? null, token, email: me?.data?.email ?? '' };
}

/** For people who already have an account. They must sign in: the link alone gives no access. */
export default function Invitation() {
  const { invitation, token, email } = useLoaderData<typeof loader>();
  return (
    <AccountPage
      title={invitation ? `Join ${invitation.organisation}` : 'This invitation is no longer valid'}
      end={<Anchor href="/">Go to Parley</Anchor>}
    >
      {!invitation ? (
        <Text>It was accepted, was revoked or is more than 7 days old. Ask for a new one.</Text>
      ) : invitation.email.toLowerCase() === email.toLowerCase() ? (
        <AcceptInvitation organisation={invitation.organisation} email={email} token={token} />
      ) : (
        <Text style={{ overflowWrap: 'anywhere' }}>
          This invitation is for <b>{invitation.email}</b>, but you’re signed in as <b>{email}</b>. Sign out, then open
          the link again.
        </Text>
      )}
    </AccountPage>
  );
}

function AcceptInvitation({ organisation, email, token }: { organisation: string; email: string; token: string }) {
  const join = useAction(
    async () => {
      const { tenantId } = await call(api.POST('/auth/invitations/join', { body: { token } }));
      // A new membership takes up to 5 seconds to apply. Until then, members can switch from their profile.
      await post('/api/auth/switch-tenant', { tenantId }).catch(() => {});
      location.assign('/');
    },
    { isQuiet: true },
  );
  return (
    <Stack>
      <Text style={{ overflowWrap: 'anywhere' }}>
        <b>{organisation}</b> invited you. You’ll join with your account <b>{email}</b>.
      </Text>
      <ProblemText problem={join.problem} />
      <Button loading={join.isRunning} onClick={() => void join.run()}>
        Accept invitation
      </Button>
    </Stack>
  );
}
