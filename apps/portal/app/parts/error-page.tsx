import { Anchor, Button, Center, Code, Stack, Text, Title } from '@mantine/core';
import type { ServiceError } from '@parley/portal-kit/service';
import { isRouteErrorResponse, Link, useRouteError } from 'react-router';
import { explain } from './explain.ts';

/** Instead of a page that cannot be shown: what happened, why if it is known, and the next step. */
export function ErrorPage() {
  const error = useRouteError();
  const problem = isRouteErrorResponse(error)
    ? ((error.data ?? undefined) as Partial<ServiceError> | undefined)
    : undefined;
  const status = isRouteErrorResponse(error) ? error.status : 500;
  const { title, text, next } = explain(status, problem);
  return (
    <Center component="main" mih="60vh" px="md" id="content">
      <Stack maw={520} gap="sm">
        <Title order={1} fz={22}>
          {title}
        </Title>
        <Text>{text}</Text>
        {next === 'reload' ? (
          <Button w="fit-content" onClick={() => location.reload()}>
            Try again
          </Button>
        ) : (
          <Anchor component={Link} to="/">
            Go to the overview
          </Anchor>
        )}
        {problem?.requestId && status >= 500 && (
          <Text size="sm" c="dimmed">
            Tell our support this number: <Code>{problem.requestId}</Code>
          </Text>
        )}
      </Stack>
    </Center>
  );
}
