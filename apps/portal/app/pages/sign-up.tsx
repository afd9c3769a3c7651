import { Anchor, Button, Stack, Text, TextInput } from '@mantine/core';
import { portalContext } from '@parley/portal-kit/context';
import {
  AccountPage,
  api,
  call,
  errorsByField,
  ProblemText,
  solveChallenge,
  type Problem,
} from '@parley/portal-kit/ui';
import { useState, type FormEvent } from 'react';
import { Link, redirect, useLoaderData, type LoaderFunctionArgs } from 'react-router';

export const meta = () => [{ title: 'Create an account · Parley' }];

export async function loader({ context }: LoaderFunctionArgs) {
  const { service, site } = context.get(portalContext);
  const { data } = await service.GET('/auth/options');
  // A CAPTCHA runs a third-party script, which the portal never does. The service hosts a page for it.
  if (data?.signup && data.signUpCheck === 'captcha') throw redirect(`${site.apiUrl}/pools/customer/sign-up`);
  return { isOpen: data?.signup ?? true };
}

const fieldNames = ['name', 'organisation', 'email'] as const;
type FieldName = (typeof fieldNames)[number];
type Fields = Record<FieldName, string>;

const missing: Fields = {
  name: 'Enter your name.',
  organisation: 'Enter the name of your organisation.',
  email: 'Enter an email address such as name@example.com.',
};

/** What the browser itself can tell is missing or invalid. */
const invalidFields = (form: HTMLFormElement): Partial<Fields> =>
  Object.fromEntries(
    fieldNames.flatMap((name) => {
      const input = form.elements.namedItem(name) as HTMLInputElement;
      return input.validity.valid && input.value.trim() !== '' ? [] : [[name, missing[name]]];
    }),
  );

async function signUp(fields: Fields) {
  const { challenge } = await call(api.POST('/auth/signup/challenge'));
  const proof = challenge ? { proof: await solveChallenge(challenge) } : {};
  const locale = navigator.language.startsWith('de') ? 'de' : 'en';
  return call(api.POST('/auth/signup', { body: { ...fields, ...proof, locale } }));
}

export default function SignUp() {
  const { isOpen } = useLoaderData<typeof loader>();
  const [sent, setSent] = useState<{ email: string; signupId: string }>();
  if (sent) return <Sent {...sent} onChange={() => setSent(undefined)} />;
  const signIn = (
    <Anchor component={Link} to="/sign-in">
      Sign in
    </Anchor>
  );
  return (
    <AccountPage title="Create your account" end={<>Already have an account? {signIn}</>}>
      {isOpen ? (
        <SignUpForm onSent={setSent} />
      ) : (
        <Text>You need an invitation to create an account here. Ask someone in your organisation to invite you.</Text>
      )}
    </AccountPage>
  );
}

function SignUpForm({ onSent }: { onSent(sent: { email: string; signupId: string }): void }) {
  const [isRunning, setRunning] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const [invalid, setInvalid] = useState<Partial<Fields>>({});

  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const found = invalidFields(form);
    setInvalid(found);
    setProblem(undefined);
    const [first] = Object.keys(found);
    if (first) return (form.elements.namedItem(first) as HTMLInputElement).focus();
    const fields = Object.fromEntries(new FormData(form)) as Fields;
    setRunning(true);
    signUp(fields)
      .then(
        ({ signupId }) => onSent({ email: fields.email, signupId }),
        (error: unknown) => setProblem(error as Problem),
      )
      .finally(() => setRunning(false));
  };
  const { errors, other } = errorsByField(problem, fieldNames);
  const errorOf = (name: FieldName) => {
    const message = invalid[name] ?? errors[name];
    return message && <span role="alert">{message}</span>;
  };
  const shared = { required: true, withAsterisk: false } as const;
  return (
    <form onSubmit={send} method="post" action="/sign-up" noValidate>
      <Stack gap="lg">
        <TextInput
          {...shared}
          name="name"
          label="Your name"
          autoComplete="name"
          maxLength={120}
          error={errorOf('name')}
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- signing up is all this page is for
          autoFocus
        />
        <TextInput
          {...shared}
          name="organisation"
          label="Organisation"
          description="Usually your company name. You can change it later."
          autoComplete="organization"
          maxLength={120}
          error={errorOf('organisation')}
        />
        <TextInput
          {...shared}
          name="email"
          type="email"
          label="Email address"
          autoComplete="username"
          error={errorOf('email')}
        />
        <ProblemText problem={other} />
        <Button type="submit" loading={isRunning}>
          Continue
        </Button>
      </Stack>
    </form>
  );
}

/** How long the button stays off after an email was sent again. The service limits it too. */
const resendPauseMs = 60_000;

function Sent({ email, signupId, onChange }: { email: string; signupId: string; onChange(): void }) {
  const [state, setState] = useState<'ready' | 'sending' | 'sent'>('ready');
  const [problem, setProblem] = useState<Problem>();
  const resend = () => {
    setState('sending');
    setProblem(undefined);
    call(api.POST('/auth/signup/resend', { body: { signupId } })).then(
      () => {
        setState('sent');
        setTimeout(() => setState('ready'), resendPauseMs);
      },
      (error: unknown) => {
        setState('ready');
        setProblem(error as Problem);
      },
    );
  };
  return (
    <AccountPage
      title="Check your email"
      description={
        <span role="status">
          We sent a link to <b>{email}</b>. Open it to choose your password. The link expires in 24 hours.
        </span>
      }
      end={
        <Anchor component={Link} to="/sign-in">
          Back to sign in
        </Anchor>
      }
    >
      <Stack>
        <Text c="dimmed">Nothing after a few minutes? Check your spam folder, or send it again.</Text>
        <ProblemText problem={problem} />
        {state === 'sent' && <Text role="status">We sent it again. It can take a minute to arrive.</Text>}
        <Button variant="default" loading={state === 'sending'} disabled={state === 'sent'} onClick={resend}>
          Resend email
        </Button>
        <Anchor component="button" type="button" onClick={onChange}>
          Use another email address
        </Anchor>
      </Stack>
    </AccountPage>
  );
}
