import { Alert, Anchor, Button, Divider, PasswordInput, Stack, TextInput } from '@mantine/core';
import { IconFingerprint, IconInfoCircle } from '@tabler/icons-react';
import { useState, type FormEvent, type ReactNode } from 'react';
import type { SignedOutReason } from '../server/session.ts';
import { AccountPage } from './account-page.tsx';
import type { PoolName } from './account-routes.ts';
import { post, Problem } from './browser.ts';
import { ProblemText } from './problem.tsx';

interface Props {
  pool?: PoolName;
  /** The path to open after sign-in. */
  next: string;
  forgotUrl: string;
  acceptsPassword: boolean;
  /** A hosted sign-in was not completed. */
  isUnfinished: boolean;
  signedOutReason: SignedOutReason | null;
  /** Who this portal is for. */
  description?: ReactNode;
  /** The line below the form. */
  end?: ReactNode;
}

const notices: Record<SignedOutReason, string> = {
  impersonation: 'You’re no longer signed in as the member. Close this page or sign in with your own account.',
  session_ended:
    'You were signed out because your session expired or was ended on another device. Sign in to continue.',
  session_too_old:
    'You were signed out because your organisation limits how long a session lasts. Sign in to continue.',
  no_access: 'You were signed out because your account no longer has access to the organisation. Sign in to continue.',
};

/** False for users whose only second factor is a passkey. */
const acceptsCode = ({ details }: Problem) => details.some(({ message }) => /\b(totp|recovery_code)\b/.test(message));
const onlyPasskey = new Problem(401, { message: 'Your account is protected by a passkey. Use it to sign in.' });
/** Errors that are shown at the field. */
const fieldReasons = new Set(['invalid_credentials', 'invalid_code']);

const titleOf = (step: 'password' | 'code', reason: SignedOutReason | null) =>
  step === 'code' ? 'Two-factor authentication' : reason === 'impersonation' ? 'Impersonation ended' : 'Sign in';

export function SignInForm({ pool = 'customer', next, acceptsPassword, signedOutReason, ...props }: Props) {
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
  const isAtField = problem !== undefined && fieldReasons.has(problem.reason);
  const fieldError = isAtField ? <span role="alert">{problem.message}</span> : undefined;
  const notice = props.isUnfinished
    ? 'Sign-in wasn’t completed. Try again.'
    : signedOutReason && step === 'password' && notices[signedOutReason];
  return (
    <AccountPage
      pool={pool}
      title={titleOf(step, signedOutReason)}
      description={
        step === 'code' ? 'Enter the code from your authenticator app, or a recovery code.' : props.description
      }
      end={props.end}
    >
      {/* POST, so that the password is never in a URL, even before hydration. */}
      <form onSubmit={send} method="post" action="/sign-in" key={step}>
        <Stack gap="lg">
          {notice && (
            <Alert role="status" variant="light" color="gray" icon={<IconInfoCircle size={18} aria-hidden />}>
              {notice}
            </Alert>
          )}
          {acceptsPassword && (
            <>
              {step === 'password' ? (
                <>
                  <TextInput
                    name="email"
                    type="email"
                    label="Email address"
                    autoComplete="username"
                    required
                    withAsterisk={false}
                    // oxlint-disable-next-line jsx-a11y/no-autofocus -- signing in is all this page is for
                    autoFocus
                  />
                  <PasswordInput
                    name="password"
                    label="Password"
                    autoComplete="current-password"
                    required
                    withAsterisk={false}
                    error={fieldError}
                  />
                </>
              ) : (
                <TextInput
                  name="code"
                  label="Code"
                  autoComplete="one-time-code"
                  inputMode="text"
                  required
                  withAsterisk={false}
                  error={fieldError}
                  // oxlint-disable-next-line jsx-a11y/no-autofocus -- it replaces the field that had the focus
                  autoFocus
                />
              )}
              {!isAtField && <ProblemText problem={problem} />}
              <Button type="submit" loading={isRunning}>
                {step === 'password' ? 'Sign in' : 'Verify'}
              </Button>
            </>
          )}
        </Stack>
      </form>
      {acceptsPassword && step === 'password' && (
        <Anchor href={props.forgotUrl} display="inline-block" mt="md">
          Forgot your password?
        </Anchor>
      )}
      {step === 'code' ? (
        <Anchor component="button" type="button" mt="md" onClick={() => setStep('password')}>
          Sign in with a different account
        </Anchor>
      ) : (
        <>
          {acceptsPassword && <Divider label="or" my="md" />}
          <Button
            component="a"
            href={`/api/auth/start?next=${encodeURIComponent(next)}`}
            variant={acceptsPassword ? 'default' : 'filled'}
            {...(acceptsPassword && { leftSection: <IconFingerprint size={20} aria-hidden /> })}
          >
            {acceptsPassword ? 'Sign in with a passkey' : 'Sign in with your organisation'}
          </Button>
        </>
      )}
    </AccountPage>
  );
}
