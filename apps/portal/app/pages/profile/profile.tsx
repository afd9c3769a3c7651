import { Alert, SimpleGrid, Stack } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import type { ServiceError } from '@parley/portal-kit/service';
import { Authenticator, Page, Passkeys, Password, Sessions, Theme } from '@parley/portal-kit/ui';
import { IconInfoCircle } from '@tabler/icons-react';
import { useLoaderData, type LoaderFunctionArgs } from 'react-router';
import { useMe } from '../../parts/me.ts';
import { NameAndLanguage } from './parts/name-and-language.tsx';
import { Notifications } from './parts/notifications.tsx';
import { MyOrganisations } from './parts/my-organisations.tsx';

export const meta = () => [{ title: 'Profile · Parley' }];

export async function loader({ context, request }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const [factors, sessions, tenants, mine] = await Promise.all([
    service.GET('/mfa'),
    service.GET('/sessions'),
    service.GET('/me/tenants'),
    service.GET('/me/notifications'),
  ]);
  const organisations = read(tenants, request).data;
  const notifications = mine.data?.notifications ?? null; // agents only
  // Members of an identity provider, and platform admins who impersonate a member: their sign-in is not managed here.
  if (factors.response.status === 403)
    return {
      organisations,
      notifications,
      security: null,
      ssoMessage: (factors.error as { error?: ServiceError } | undefined)?.error?.message ?? '',
    };
  return {
    organisations,
    notifications,
    security: { factors: read(factors, request), sessions: read(sessions, request).data },
    ssoMessage: '',
  };
}

export default function Profile() {
  const { organisations, notifications, security, ssoMessage } = useLoaderData<typeof loader>();
  const me = useMe();
  return (
    <Page title="Profile" description={me.email ?? undefined}>
      <Stack gap="lg">
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
          <NameAndLanguage />
          <Theme />
        </SimpleGrid>
        {notifications && <Notifications notifications={notifications} />}
        {security ? (
          <>
            <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
              <Password email={me.email ?? ''} />
              <Authenticator
                hasApp={security.factors.totp}
                hasPasskey={security.factors.passkeys.length > 0}
                codesLeft={security.factors.recoveryCodesLeft}
              />
            </SimpleGrid>
            <Passkeys passkeys={security.factors.passkeys} />
            <Sessions sessions={security.sessions} />
          </>
        ) : (
          <Alert
            variant="light"
            color="gray"
            icon={<IconInfoCircle size={18} aria-hidden />}
            title="Password, two-factor authentication and sessions"
          >
            {ssoMessage}
          </Alert>
        )}
        <MyOrganisations organisations={organisations} currentId={me.tenantId} />
      </Stack>
    </Page>
  );
}
