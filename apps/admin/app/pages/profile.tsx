import { SimpleGrid } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import { Authenticator, Page, Passkeys, Password, Section, Sessions, Theme } from '@parley/portal-kit/ui';
import { useLoaderData, type LoaderFunctionArgs } from 'react-router';
import { useMe } from '../parts/me.ts';

export const meta = () => [{ title: 'Profile · Parley admin' }];

export async function loader({ context, request }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const [factors, sessions] = await Promise.all([service.GET('/admin/mfa'), service.GET('/admin/sessions')]);
  // Operators from an external issuer manage their sign-in there.
  if (factors.response.status === 403 || factors.response.status === 404) return null;
  return { factors: read(factors, request), sessions: read(sessions, request).data };
}

export default function Profile() {
  const data = useLoaderData<typeof loader>();
  const { email } = useMe();
  return (
    <Page title="Profile" description={email}>
      {data ? (
        <>
          <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
            <Password email={email} />
            <Authenticator
              hasApp={data.factors.totp}
              hasPasskey={data.factors.passkeys.length > 0}
              codesLeft={data.factors.recoveryCodesLeft}
            />
          </SimpleGrid>
          <Passkeys passkeys={data.factors.passkeys} />
          <Sessions sessions={data.sessions} />
        </>
      ) : (
        <Section title="Sign-in and security">
          Your password, two-factor authentication and sessions are managed by your identity provider.
        </Section>
      )}
      <Theme />
    </Page>
  );
}
