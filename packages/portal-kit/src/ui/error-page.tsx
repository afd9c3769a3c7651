import { Anchor, Button, Center, Code, Stack, Text, Title } from '@mantine/core';
import { isRouteErrorResponse, Link, useRouteError } from 'react-router';
import type { ServiceError } from '../service/client.ts';

export interface ErrorExplanation {
  title: string;
  text: string;
  next: 'reload' | 'home';
  /** A page that helps. */
  link?: { to: string; label: string };
}
/** Explains an error to the user. */
export type Explain = (status: number, problem: Partial<ServiceError> | undefined) => ErrorExplanation;

/** Explanations shared by both portals. */
export const explainPlainly: Explain = (status, problem) => {
  if (status === 404)
    return {
      title: 'Page not found',
      text: problem?.message ?? 'Check the URL, or the page may have been removed.',
      next: 'home',
    };
  if (status === 429) return { title: 'Too many requests', text: 'Wait a moment, then try again.', next: 'reload' };
  return {
    title: status === 503 ? 'Can’t reach Parley' : 'Something went wrong',
    text: problem?.message ?? 'Something went wrong on our side. Your saved data is safe.',
    next: 'reload',
  };
};

/** The error page: what happened, why if known, and the next step. */
export function ErrorPage({ explain }: { explain: Explain }) {
  const error = useRouteError();
  const problem = isRouteErrorResponse(error)
    ? ((error.data ?? undefined) as Partial<ServiceError> | undefined)
    : undefined;
  const status = isRouteErrorResponse(error) ? error.status : 500;
  const { title, text, next, link } = explain(status, problem);
  return (
    <Center component="main" mih="60vh" px="md" id="content">
      <Stack maw={520} gap="sm">
        <Title order={1} fz={20}>
          {title}
        </Title>
        <Text>{text}</Text>
        {link && (
          <Button w="fit-content" component={Link} to={link.to}>
            {link.label}
          </Button>
        )}
        {next === 'reload' ? (
          <Button w="fit-content" onClick={() => location.reload()}>
            Try again
          </Button>
        ) : (
          <Anchor component={Link} to="/">
            Go to home
          </Anchor>
        )}
        {problem?.requestId && status >= 500 && (
          <Text size="sm" c="dimmed">
            If you contact support, include this request ID: <Code>{problem.requestId}</Code>
          </Text>
        )}
      </Stack>
    </Center>
  );
}
