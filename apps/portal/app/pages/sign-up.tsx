import { Anchor, Button, Card, Center, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { portalContext } from '@parley/portal-kit/context';
import { api, call, Mark, ProblemText, solveChallenge, type Problem } from '@parley/portal-kit/ui';
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

async function signUp(fields: Record<'name' | 'organisation' | 'email', string>) {
  const { challenge } = await call(api.POST('/auth/signup/challenge'));
  const proof = challenge ? { proof: await solveChallenge(challenge) } : {};
  const locale = navigator.language.startsWith('de') ? 'de' : 'en';
  await call(api.POST('/auth/signup', { body: { ...fields, ...proof, locale } }));
}

export default function SignUp() {
  const { isOpen } = useLoaderData<typeof loader>();

  const [sentTo, setSentTo] = useState<string>();
  const [isRunning, setRunning] = useState(false);
  const [problem, setProblem] = useState<Problem>();

  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = Object.fromEntries(new FormData(event.currentTarget)) as Record<
      'name' | 'organisation' | 'email',
      string
    >;
    setRunning(true);
    setProblem(undefined);
    signUp(fields)
      .then(
        () => setSentTo(fields.email),
        (error: unknown) => setProblem(error as Problem),
      )
      .finally(() => setRunning(false));
  };
  return (
    <Center component="main" mih="100vh" p="md">
      <Card withBorder w="100%" maw={420} p="lg">
        <Group gap="xs" c="var(--mantine-color-anchor)">
          <Mark size={32} />
          <Title order={1} fz={20} c="var(--mantine-color-text)">
            {sentTo ? 'Check your email' : 'Create your account'}
          </Title>
        </Group>
        {sentTo ? (
          <Stack mt="lg">
            <Text role="status">
              We sent an email to <b>{sentTo}</b>. Follow the link in it to choose your password. The link expires in 24
              hours.
            </Text>
            <Text c="dimmed">No email? Check your spam folder, or try again in a minute.</Text>
            <Button variant="default" onClick={() => setSentTo(undefined)}>
              Use another email address
            </Button>
            <Button component={Link} to="/sign-in">
              Go to sign-in
            </Button>
          </Stack>
        ) : !isOpen ? (
          <Text mt="lg">
            You need an invitation to create an account here. Ask someone in your organisation to invite you.
          </Text>
        ) : (
          <form onSubmit={send} method="post" action="/sign-up">
            <Stack mt="lg">
              <TextInput
                name="name"
                label="Your name"
                autoComplete="name"
                required
                maxLength={120}
                // oxlint-disable-next-line jsx-a11y/no-autofocus -- signing up is all this page is for
                autoFocus
              />
              <TextInput
                name="organisation"
                label="Organisation"
                autoComplete="organization"
                required
                maxLength={120}
              />
              <TextInput name="email" type="email" label="Email" autoComplete="username" required />
              <ProblemText problem={problem} />
              <Button type="submit" loading={isRunning}>
                Continue
              </Button>
            </Stack>
          </form>
        )}
        <Group mt="md">
          <Anchor component={Link} to="/sign-in">
            Sign in
          </Anchor>
        </Group>
      </Card>
    </Center>
  );
}
