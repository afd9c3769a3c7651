import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { portalContext, read, signInPath } from '@parley/portal-kit/context';
import { AccountPage, Authenticator, Passkeys, post, StepUpProvider, Toasts } from '@parley/portal-kit/ui';
import { IconCheck, IconShieldLock } from '@tabler/icons-react';
import { redirect, useLoaderData, type LoaderFunctionArgs } from 'react-router';
import { ErrorPage } from '../parts/error-page.tsx';
import { MyOrganisations } from './profile/parts/my-organisations.tsx';

export const meta = () => [{ title: 'Two-factor authentication · Parley' }];

export async function loader({ context, request }: LoaderFunctionArgs) {
  const { service, isSignedIn } = context.get(portalContext);
  if (!isSignedIn) throw redirect(signInPath(request));
  const [me, factors, organisations] = await Promise.all([
    service.GET('/me'),
    service.GET('/mfa'),
    service.GET('/me/tenants'),
  ]);
  return {
    me: read(me, request),
    factors: factors.data ?? null, // null for members who sign in with an identity provider
    organisations: read(organisations, request).data,
  };
}

/** The only page open to members who have yet to set up the two-factor authentication their organisation requires. */
export default function TwoFactor() {
  const { me, factors, organisations } = useLoaderData<typeof loader>();
  const isMissing = me.refusedBy === 'two_factor_required';
  return (
    <StepUpProvider>
      <AccountPage title={isMissing ? 'Set up two-factor authentication' : 'Two-factor authentication is on'} isWide>
        <Stack gap="lg">
          {isMissing ? (
            <Alert variant="light" color="orange" icon={<IconShieldLock size={18} aria-hidden />}>
              <b>{me.tenantName}</b> requires two-factor authentication.{' '}
              {factors
                ? 'Set up an authenticator app or a passkey to continue.'
                : 'You sign in with your organisation’s identity provider. Sign out, then sign in there with two-factor authentication.'}
            </Alert>
          ) : (
            <Alert variant="light" color="teal" icon={<IconCheck size={18} aria-hidden />}>
              You can now use <b>{me.tenantName}</b>. If you just set up an app, save your recovery codes first.
            </Alert>
          )}
          {factors && (
            <>
              <Authenticator
                hasApp={factors.totp}
                hasPasskey={factors.passkeys.length > 0}
                codesLeft={factors.recoveryCodesLeft}
              />
              <Passkeys passkeys={factors.passkeys} />
            </>
          )}
          {organisations.length > 1 && <MyOrganisations organisations={organisations} currentId={me.tenantId} />}
          <Group gap="xs" justify="space-between">
            <Text c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              Signed in as {me.email}
            </Text>
            <Group gap="xs">
              <Button
                variant="default"
                onClick={() => void post('/api/auth/logout').finally(() => location.assign('/sign-in'))}
              >
                Sign out
              </Button>
              {!isMissing && (
                <Button component="a" href="/">
                  Continue
                </Button>
              )}
            </Group>
          </Group>
        </Stack>
      </AccountPage>
      <Toasts />
    </StepUpProvider>
  );
}

export const ErrorBoundary = ErrorPage;
