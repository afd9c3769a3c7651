import { Alert, SimpleGrid, Stack } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import type { ServiceError } from '@parley/portal-kit/service';
import { Authenticator, Page, Passkeys, Password, Sessions, Theme } from '@parley/portal-kit/ui';
import { IconInfoCircle } from '@tabler/icons-react';
import { useLoaderData, type LoaderFunctionArgs } from 'react-router';
import { useMe } from '../../parts/me.ts';
import { About } from './parts/about.tsx';
import { MyOrganisations } from './parts/my-organisations.tsx';

export const meta = () => [{ title: 'Profile · Parley' }];

export async function loader({ context, request }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const [factors, sessions, organisations] = await Promise.all([
    service.GET('/mfa'),
    service.GET('/sessions'),
    service.GET('/me/tenants'),
  ]);
  const mine = read(organisations, request).data;
  // Members of an identity provider, and platform admins who impersonate a member: their sign-in is not managed here.
  if (factors.response.status === 403)
    return { mine, own: null, why: (factors.error as { error?: ServiceError } | undefined)?.error?.message ?? '' };
  return { mine, own: { factors: read(factors, request), sessions: read(sessions, request).data }, why: '' };
}

export default function Profile() {
  const { mine, own, why } = useLoaderData<typeof loader>();
  const me = useMe();
  return (
    <Page title="Profile" about={me.email ?? undefined}>
      <Stack gap="lg">
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
          <About />
          <Theme />
        </SimpleGrid>
        {own ? (
          <>
            <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
              <Password email={me.email ?? ''} />
              <Authenticator
                hasApp={own.factors.totp}
                hasPasskey={own.factors.passkeys.length > 0}
                codesLeft={own.factors.recoveryCodesLeft}
              />
            </SimpleGrid>
            <Passkeys passkeys={own.factors.passkeys} />
            <Sessions sessions={own.sessions} />
          </>
        ) : (
          <Alert
            variant="light"
            color="gray"
            icon={<IconInfoCircle size={18} aria-hidden />}
            title="Password, two-factor authentication and sessions"
          >
            {why}
          </Alert>
        )}
        <MyOrganisations mine={mine} here={me.tenantId} />
      </Stack>
    </Page>
  );
}
