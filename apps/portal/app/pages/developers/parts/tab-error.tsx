import { Button, Code, Stack, Text } from '@mantine/core';
import type { ServiceError } from '@parley/portal-kit/service';
import { Page, TextLink } from '@parley/portal-kit/ui';
import { isRouteErrorResponse, useRevalidator, useRouteError } from 'react-router';
import { explain } from '../../../parts/explain.ts';

/** Shows the error inside its tab, so that the other tabs stay reachable. */
export function TabError() {
  const error = useRouteError();
  const { revalidate, state } = useRevalidator();
  const status = isRouteErrorResponse(error) ? error.status : 500;
  const problem = isRouteErrorResponse(error) ? (error.data as Partial<ServiceError> | undefined) : undefined;
  const { title, text, next, link } = explain(status, problem);
  return (
    <Page title={title}>
      <Stack gap="sm" maw={640}>
        <Text>{text}</Text>
        {next === 'reload' && (
          <Button w="fit-content" loading={state === 'loading'} onClick={() => void revalidate()}>
            Try again
          </Button>
        )}
        {link && <TextLink to={link.to}>{link.label}</TextLink>}
        {status === 404 && <TextLink to="/developers">Back to Developers</TextLink>}
        {problem?.requestId && status >= 500 && (
          <Text size="sm" c="dimmed">
            If you contact support, include this request ID: <Code>{problem.requestId}</Code>
          </Text>
        )}
      </Stack>
    </Page>
  );
}
