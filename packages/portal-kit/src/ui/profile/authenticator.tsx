import { Button, Group, Stack, Text } from '@mantine/core';
import { useAction } from '../action.tsx';
import { api, call } from '../browser.ts';
import { ConfirmByName } from '../confirm.tsx';
import { Section } from '../page.tsx';
import { ProblemText } from '../problem.tsx';
import { SecretPanel } from '../secret.tsx';
import { Status } from '../small.tsx';
import { useState } from 'react';
import { useAccountRoutes } from '../account-routes.ts';
import { AuthenticatorSetup, type NewApp } from './authenticator-setup.tsx';

interface Props {
  hasApp: boolean;
  hasPasskey: boolean;
  codesLeft: number;
}

export function Authenticator({ hasApp, hasPasskey, codesLeft }: Props) {
  const at = useAccountRoutes();
  const [newApp, setNewApp] = useState<NewApp>();
  const [codes, setCodes] = useState<string[]>();
  const [isRemoving, setRemoving] = useState(false);
  const start = useAction(async () => setNewApp(await call(api.POST(at.totp))), { isQuiet: true });
  const regenerateCodes = useAction(async () => setCodes((await call(api.POST(at.recoveryCodes))).recoveryCodes));
  const remove = useAction(async () => {
    await call(api.DELETE(at.totp));
    setRemoving(false);
    setCodes(undefined);
  });
  return (
    <Section
      title="Authenticator app"
      description="Two-factor authentication: enter a six-digit code from an app when you sign in."
      actions={hasApp ? <Status tone="good">On</Status> : <Status tone={hasPasskey ? 'idle' : 'warn'}>Off</Status>}
    >
      {codes && (
        <SecretPanel
          title="Your recovery codes"
          secret={codes.join('\n')}
          fileName="parley-recovery-codes.txt"
          onSaved={() => setCodes(undefined)}
        />
      )}
      {hasApp && (
        <>
          <Text>
            {codesLeft === 0
              ? 'You have no recovery codes left. Get new ones so you can still sign in if you lose your phone.'
              : `You have ${codesLeft === 1 ? 'one recovery code' : `${codesLeft} recovery codes`} left. Each one signs you in once if you don’t have your phone.`}
          </Text>
          <ProblemText problem={regenerateCodes.problem} />
          <Group gap="xs">
            <Button variant="default" loading={regenerateCodes.isRunning} onClick={() => void regenerateCodes.run()}>
              Get new recovery codes
            </Button>
            <Button variant="outline" color="red" onClick={() => setRemoving(true)}>
              Remove app
            </Button>
          </Group>
          <Text size="sm" c="dimmed">
            New codes replace the old ones immediately.
          </Text>
        </>
      )}
      {!hasApp && !newApp && !codes && (
        <Stack gap="sm">
          <Text>
            {hasPasskey
              ? 'Your passkeys already protect your account. An authenticator app is a backup in case you lose them.'
              : 'Without two-factor authentication, anyone who has your password can sign in.'}
          </Text>
          <ProblemText problem={start.problem} />
          <Button w="fit-content" loading={start.isRunning} onClick={() => void start.run()}>
            Set up app
          </Button>
        </Stack>
      )}
      {!hasApp && newApp && (
        <AuthenticatorSetup
          app={newApp}
          onCodes={(newCodes) => {
            setNewApp(undefined);
            setCodes(newCodes);
          }}
          onCancel={() => setNewApp(undefined)}
        />
      )}
      <ConfirmByName
        isOpen={isRemoving}
        title="Remove authenticator app?"
        name="remove"
        confirmLabel="Remove app"
        isRunning={remove.isRunning}
        problem={remove.problem}
        onConfirm={() => void remove.run()}
        onClose={() => {
          remove.clear();
          setRemoving(false);
        }}
      >
        You’ll sign in with only your password, unless you have a passkey. Your recovery codes will stop working. We’ll
        email you a confirmation.
      </ConfirmByName>
    </Section>
  );
}
