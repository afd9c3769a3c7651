import { Anchor, Button, Card, Center, Group, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useState, type FormEvent, type ReactNode } from 'react';
import { post, Problem } from './browser.ts';
import { Mark } from './mark.tsx';
import { ProblemText } from './problem.tsx';

interface Props {
  title: string;
  /** The path to open after sign-in. */
  next: string;
  forgotUrl: string;
  acceptsPassword: boolean;
  /** A hosted sign-in was not completed. */
  isUnfinished: boolean;
  /** Who this portal is for. */
  description?: ReactNode;
  /** A link next to "Forgot your password?". */
  extraLink?: ReactNode;
}

/** False for users whose only second factor is a passkey. */
const acceptsCode = ({ details }: Problem) => details.some(({ message }) => /\b(totp|recovery_code)\b/.test(message));
const onlyPasskey = new Problem(401, { message: 'Your account is protected by a passkey. Use it to sign in.' });

export function SignInForm({ title, next, forgotUrl, acceptsPassword, isUnfinished, description, extraLink }: Props) {
  const [step, setStep] = useState<'password' | 'code'>('password');
  const [isRunning, setRunning] = useState(false);
  const [problem, setProblem] = useState<Problem>();

  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>;
    setRunning(true);
    setProblem(undefined);
    post(step === 'password' ? '/api/auth/login' : '/api/auth/login/mfa', fields).then(
      () => location.assign(next),
      (error: unknown) => {
        setRunning(false);
        const signInError = error as Problem;
        if (signInError.reason === 'mfa_required')
          return acceptsCode(signInError) ? setStep('code') : setProblem(onlyPasskey);
        if (signInError.reason === 'sign_in_expired') setStep('password');
        setProblem(signInError);
      },
    );
  };
  return (
    <Center component="main" mih="100vh" p="md">
      <Card withBorder w="100%" maw={380} p="lg">
        <Group gap="xs" c="var(--mantine-color-anchor)">
          <Mark size={32} />
          <Title order={1} fz={20} c="var(--mantine-color-text)">
            {title}
          </Title>
        </Group>
        {description && (
          <Text c="dimmed" mt="sm">
            {description}
          </Text>
        )}
        {/* POST, so that the password is never in a URL, even before hydration. */}
        <form onSubmit={send} method="post" action="/sign-in" key={step}>
          <Stack mt="lg">
            {isUnfinished && <Text role="status">Sign-in wasn’t completed. Try again.</Text>}
            {acceptsPassword && (
              <>
                {step === 'password' ? (
                  <>
                    <TextInput
                      name="email"
                      type="email"
                      label="Email"
                      autoComplete="username"
                      required
                      // oxlint-disable-next-line jsx-a11y/no-autofocus -- signing in is all this page is for
                      autoFocus
                    />
                    <PasswordInput name="password" label="Password" autoComplete="current-password" required />
                  </>
                ) : (
                  <TextInput
                    name="code"
                    label="Code"
                    description="Six digits from your authenticator app, or a recovery code."
                    autoComplete="one-time-code"
                    inputMode="text"
                    required
                    // oxlint-disable-next-line jsx-a11y/no-autofocus -- it replaces the field that had the focus
                    autoFocus
                  />
                )}
                <ProblemText problem={problem} />
                <Button type="submit" loading={isRunning}>
                  {step === 'password' ? 'Sign in' : 'Continue'}
                </Button>
              </>
            )}
            <Button
              component="a"
              href={`/api/auth/start?next=${encodeURIComponent(next)}`}
              variant={acceptsPassword ? 'default' : 'filled'}
            >
              {acceptsPassword ? 'Use a passkey' : 'Sign in with your organisation'}
            </Button>
          </Stack>
        </form>
        <Group justify="space-between" mt="md">
          {acceptsPassword && <Anchor href={forgotUrl}>Forgot your password?</Anchor>}
          {extraLink}
        </Group>
      </Card>
    </Center>
  );
}
