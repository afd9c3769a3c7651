import { Button, Stack, Text } from '@mantine/core';
import { portalContext } from '@parley/portal-kit/context';
import { AccountPage, post, ProblemText, useAction } from '@parley/portal-kit/ui';
import { useLoaderData, type LoaderFunctionArgs } from 'react-router';

export const meta = () => [{ title: 'Impersonate a member · Parley' }];

export async function loader({ context, request }: LoaderFunctionArgs) {
  const { service, isSignedIn } = context.get(portalContext);
  const code = new URL(request.url).searchParams.get('code')?.slice(0, 100) ?? '';
  const { data } = await service.POST('/auth/impersonation/preview', { body: { code: code || 'none' } });
  return { impersonation: data ?? null, code, isSignedIn };
}

/** Shown before an impersonation starts: who, why, and who can see it. */
export default function Impersonation() {
  const { impersonation, code, isSignedIn } = useLoaderData<typeof loader>();
  return (
    <AccountPage title={impersonation ? 'Impersonate a member' : 'This link has expired'}>
      {impersonation ? (
        <ConfirmImpersonation impersonation={impersonation} code={code} isSignedIn={isSignedIn} />
      ) : (
        <Text>Each link works once and expires after a minute. Start again in the admin portal.</Text>
      )}
    </AccountPage>
  );
}

interface Props {
  impersonation: NonNullable<Awaited<ReturnType<typeof loader>>['impersonation']>;
  code: string;
  isSignedIn: boolean;
}

function ConfirmImpersonation({
  impersonation: { operatorName, name, email, tenantName, reason },
  code,
  isSignedIn,
}: Props) {
  const start = useAction(() => post('/api/auth/impersonation', { code }), { isQuiet: true });
  return (
    <Stack>
      <Text style={{ overflowWrap: 'anywhere' }}>
        {operatorName}, you’re about to impersonate <b>{name}</b> ({email}) of <b>{tenantName}</b> for 15 minutes.
      </Text>
      <Text style={{ overflowWrap: 'anywhere' }}>Reason: {reason}</Text>
      <Text>
        They and their organisation can see your name and the reason, and everything you do is recorded. You can’t
        change members, keys, webhooks or billing.
      </Text>
      {isSignedIn && <Text>This signs out the account that’s signed in to the portal in this browser.</Text>}
      <ProblemText problem={start.problem} />
      <Button loading={start.isRunning} onClick={() => void start.run().then((done) => done && location.replace('/'))}>
        Continue
      </Button>
    </Stack>
  );
}
