import { Anchor, Button, Card, Center, Group, Stack, Text, Title } from '@mantine/core';
import { portalContext, signInPath } from '@parley/portal-kit/context';
import { api, call, Mark, post, ProblemText, useAction } from '@parley/portal-kit/ui';
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
    <Center component="main" mih="100vh" p="md">
      <Card withBorder w="100%" maw={460} p="lg">
        <Group gap="xs" c="var(--mantine-color-anchor)" wrap="nowrap">
          <Mark size={32} />
          <Title order={1} fz={20} c="var(--mantine-color-text)">
            {invitation ? `Join ${invitation.organisation}` : 'This invitation is no longer valid'}
          </Title>
        </Group>
        <Stack mt="md">
          {!invitation ? (
            <Text>It was accepted, was revoked or is more than 7 days old. Ask for a new one.</Text>
          ) : invitation.email.toLowerCase() === email.toLowerCase() ? (
            <AcceptInvitation organisation={invitation.organisation} email={email} token={token} />
          ) : (
            <Text style={{ overflowWrap: 'anywhere' }}>
              This invitation is for <b>{invitation.email}</b>, but you’re signed in as <b>{email}</b>. Sign out, then
              open the link again.
            </Text>
          )}
          <Anchor href="/">Go to Parley</Anchor>
        </Stack>
      </Card>
    </Center>
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
    <>
      <Text style={{ overflowWrap: 'anywhere' }}>
        <b>{organisation}</b> invited you. You’ll join with your account <b>{email}</b>.
      </Text>
      <ProblemText problem={join.problem} />
      <Group justify="flex-end">
        <Button loading={join.isRunning} onClick={() => void join.run()}>
          Accept invitation
        </Button>
      </Group>
    </>
  );
}
