import { Anchor, Button, Card, Center, Group, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { portalContext } from '@parley/portal-kit/context';
import { api, call, Mark, ProblemText, type Problem } from '@parley/portal-kit/ui';
import { useState, type FormEvent } from 'react';
import { Link, useLoaderData, type LoaderFunctionArgs } from 'react-router';

export const meta = () => [{ title: 'Create an account · Parley' }];

export async function loader({ context }: LoaderFunctionArgs) {
  const { data } = await context.get(portalContext).service.GET('/auth/options');
  return { isOpen: data?.signup ?? true };
}

export default function SignUp() {
  const { isOpen } = useLoaderData<typeof loader>();

  const [sentTo, setSentTo] = useState<string>();
  const [isRunning, setRunning] = useState(false);
  const [problem, setProblem] = useState<Problem>();

  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = Object.fromEntries(new FormData(event.currentTarget)) as Record<
      'name' | 'organisation' | 'email' | 'password',
      string
    >;
    setRunning(true);
    setProblem(undefined);
    call(api.POST('/auth/signup', { body: { ...fields, locale: navigator.language.startsWith('de') ? 'de' : 'en' } }))
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
            {sentTo ? 'Look into your mailbox' : 'Create your account'}
          </Title>
        </Group>
        {sentTo ? (
          <Stack mt="lg">
            <Text role="status">
              We sent a letter to <b>{sentTo}</b>. Open the link in it to confirm that it is yours, then sign in. It is
              good for a day.
            </Text>
            <Text c="dimmed">Nothing there? Look among the unwanted mail, or wait a minute and try again.</Text>
            <Button variant="default" onClick={() => setSentTo(undefined)}>
              Use another address
            </Button>
            <Button component={Link} to="/sign-in">
              Go to sign-in
            </Button>
          </Stack>
        ) : !isOpen ? (
          <Text mt="lg">
            Accounts are not made here by oneself. Ask somebody of your organisation to invite you; the letter leads you
            in.
          </Text>
        ) : (
          <form onSubmit={send} method="post" action="/sign-up">
            <Stack mt="lg">
              <TextInput name="name" label="Your name" autoComplete="name" required maxLength={120} autoFocus />
              <TextInput
                name="organisation"
                label="Organisation"
                autoComplete="organization"
                required
                maxLength={120}
              />
              <TextInput name="email" type="email" label="E-mail" autoComplete="username" required />
              <PasswordInput
                name="password"
                label="Password"
                description="At least 12 characters. A few words are easier to keep in mind than signs."
                autoComplete="new-password"
                required
                minLength={12}
              />
              <ProblemText problem={problem} />
              <Button type="submit" loading={isRunning}>
                Create account
              </Button>
            </Stack>
          </form>
        )}
        <Group mt="md">
          <Anchor component={Link} to="/sign-in">
            I have an account
          </Anchor>
        </Group>
      </Card>
    </Center>
  );
}
