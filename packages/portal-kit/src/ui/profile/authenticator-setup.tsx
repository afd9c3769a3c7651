import { Button, Code, Group, Stack, Text, TextInput } from '@mantine/core';
import { useAction } from '../action.tsx';
import { api, call, field } from '../browser.ts';
import { ProblemText } from '../problem.tsx';
import { Copy } from '../small.tsx';
import type { FormEvent } from 'react';
import { useAccountRoutes } from '../account-routes.ts';
import { Qr } from './qr.tsx';

export interface NewApp {
  secret: string;
  uri: string;
}
interface Props {
  app: NewApp;
  onCodes(codes: string[]): void;
  onCancel(): void;
}

export function AuthenticatorSetup({ app, onCodes, onCancel }: Props) {
  const at = useAccountRoutes();
  const confirm = useAction(async (code: string) => {
    const { recoveryCodes } = await call(api.POST(at.confirmTotp, { body: { code } }));
    onCodes(recoveryCodes);
  });
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    void confirm.run(field(event.currentTarget, 'code').replaceAll(/\s/g, ''));
  };
  return (
    <form onSubmit={send}>
      <Stack gap="sm">
        <Text>1. Scan the QR code with your authenticator app, or enter the setup key.</Text>
        <Group align="flex-start">
          <Qr text={app.uri} label="QR code for your authenticator app" />
          <Stack gap={4} miw={0} flex="1 1 160px">
            <Text size="sm" c="dimmed">
              Setup key
            </Text>
            <Code block style={{ whiteSpace: 'pre-wrap', wordBreak: 'break-all' }}>
              {app.secret.replaceAll(/(.{4})(?=.)/g, '$1 ')}
            </Code>
            <Group>
              <Copy text={app.secret} label="Copy setup key" />
            </Group>
          </Stack>
        </Group>
        <TextInput
          name="code"
          label="2. Enter the six-digit code from the app"
          autoComplete="one-time-code"
          inputMode="numeric"
          minLength={6}
          maxLength={10}
          required
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- it replaces the button that had the focus
          autoFocus
          w={280}
          maw="100%"
        />
        <ProblemText problem={confirm.problem} />
        <Group gap="xs">
          <Button type="submit" loading={confirm.isRunning}>
            Turn on
          </Button>
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
