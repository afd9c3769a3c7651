import { Button, Code, Stack, Text } from '@mantine/core';
import type { ServiceError } from '@parley/portal-kit/service';
import { Page, TextLink } from '@parley/portal-kit/ui';
import { isRouteErrorResponse, useRevalidator, useRouteError } from 'react-router';
import { explain } from '../../../parts/explain.ts';

/** What cannot be shown is explained within its tab, so that the other tabs stay in reach. */
export function TabError() {
  const error = useRouteError();
  const { revalidate, state } = useRevalidator();
  const status = isRouteErrorResponse(error) ? error.status : 500;
  const problem = isRouteErrorResponse(error) ? (error.data as Partial<ServiceError> | undefined) : undefined;
  const { title, text, next } = explain(status, problem);
  return (
    <Page title={title}>
      <Stack gap="sm" maw={640}>
        <Text>{text}</Text>
        {next === 'reload' && (
          <Button w="fit-content" loading={state === 'loading'} onClick={() => void revalidate()}>
            Try again
          </Button>
        )}
        {problem?.code === 'FEATURE_NOT_ENTITLED' && <TextLink to="/organisation/plan">See your plan</TextLink>}
        {status === 404 && <TextLink to="/developers/webhooks">Go to your endpoints</TextLink>}
        {problem?.requestId && status >= 500 && (
          <Text size="sm" c="dimmed">
            Tell our support this number: <Code>{problem.requestId}</Code>
          </Text>
        )}
      </Stack>
    </Page>
  );
}
