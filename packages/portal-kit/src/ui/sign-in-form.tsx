import { Anchor, Button, Card, Center, Group, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useState, type FormEvent, type ReactNode } from 'react';
import { post, Problem } from './browser.ts';
import { Mark } from './mark.tsx';
import { ProblemText } from './problem.tsx';

interface Props {
  title: string;
  /** Where they wanted to go. */
  next: string;
  forgotUrl: string;
  takesPassword: boolean;
  /** One that was begun elsewhere did not come to its end. */
  isUnfinished: boolean;
  /** Who should be here, where that is not everybody. */
  about?: ReactNode;
  /** Beside "Forgot your password?". */
  more?: ReactNode;
}

/** Somebody whose only second proof is a passkey has no code to type. */
const takesCode = ({ details }: Problem) => details.some(({ message }) => /\b(totp|recovery_code)\b/.test(message));
const onlyPasskey = new Problem(401, { message: 'Your account is protected by a passkey. Use it to sign in.' });

export function SignInForm({ title, next, forgotUrl, takesPassword, isUnfinished, about, more }: Props) {
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
        const refused = error as Problem;
        if (refused.reason === 'mfa_required') return takesCode(refused) ? setStep('code') : setProblem(onlyPasskey);
        if (refused.reason === 'sign_in_expired') setStep('password');
        setProblem(refused);
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
        {about && (
          <Text c="dimmed" mt="sm">
            {about}
          </Text>
        )}
        {/* By POST also before the script is there: a password never stands in an address. */}
        <form onSubmit={send} method="post" action="/sign-in" key={step}>
          <Stack mt="lg">
            {isUnfinished && <Text role="status">Sign-in wasn’t completed. Try again.</Text>}
            {takesPassword && (
              <>
                {step === 'password' ? (
                  <>
                    <TextInput name="email" type="email" label="Email" autoComplete="username" required autoFocus />
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
              variant={takesPassword ? 'default' : 'filled'}
            >
              {takesPassword ? 'Use a passkey' : 'Sign in with your organisation'}
            </Button>
          </Stack>
        </form>
        <Group justify="space-between" mt="md">
          {takesPassword && <Anchor href={forgotUrl}>Forgot your password?</Anchor>}
          {more}
        </Group>
      </Card>
    </Center>
  );
}
