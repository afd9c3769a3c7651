import { Anchor, List, SegmentedControl, Stack, Text } from '@mantine/core';
import { portalContext } from '@parley/portal-kit/context';
import { Page, Section, Snippet, TextLink } from '@parley/portal-kit/ui';
import { useLoaderData, useSearchParams, type LoaderFunctionArgs } from 'react-router';
import { useLayoutData } from '../../parts/me.ts';
import { snippetOf, verifySnippet, type Call, type Form } from './parts/snippets.ts';
import { TabError } from './parts/tab-error.tsx';

export const meta = () => [{ title: 'Quick start · Parley' }];
export const ErrorBoundary = TabError;

/** IDs for the examples. One that is missing or may not be read stays a placeholder in capitals. */
export async function loader({ context }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const query = { limit: 100 };
  const [bots, environments, workspaces] = await Promise.all([
    service.GET('/bots', { params: { query } }),
    service.GET('/environments', { params: { query } }),
    service.GET('/workspaces', { params: { query } }),
  ]);
  // A deployed bot is the better example.
  const bot = bots.data?.data.find(({ deployments }) => Object.keys(deployments).length > 0) ?? bots.data?.data[0];
  const workspaceId = bot?.workspaceId ?? workspaces.data?.data[0]?.id;
  const own = environments.data?.data.filter((one) => one.workspaceId === workspaceId) ?? [];
  const deployed = own.find(({ id }) => bot?.deployments[id]);
  return {
    botId: bot?.id ?? 'BOT_ID',
    workspaceId: workspaceId ?? 'WORKSPACE_ID',
    environmentId: (deployed ?? own[0])?.id ?? 'ENVIRONMENT_ID',
    isComplete: Boolean(bot && workspaceId && own[0]),
  };
}

export default function Start() {
  const { isComplete, ...ids } = useLoaderData<typeof loader>();
  const { me, site } = useLayoutData();
  const [search, setSearch] = useSearchParams();
  const form: Form = search.get('in') === 'ts' ? 'ts' : 'curl';
  const language = form === 'curl' ? 'curl' : 'TypeScript';
  const snippet = (call: Call) => snippetOf(form, site.apiUrl, call);
  const session = {
    tenantId: me.tenantId,
    ...ids,
    externalUserId: 'user-42',
    email: 'kim@example.com',
  };
  return (
    <Page
      title="Quick start"
      description="Copy a request, add your key and run it. The URLs and IDs below are your own."
      actions={
        <SegmentedControl
          value={form}
          onChange={(value) => setSearch({ in: value }, { replace: true, preventScrollReset: true })}
          data={[
            { value: 'curl', label: 'curl' },
            { value: 'ts', label: 'TypeScript' },
          ]}
          aria-label="Example language"
        />
      }
    >
      <Section title="Before you start">
        <List spacing={4}>
          <List.Item>
            Create a server key under <TextLink to="/developers/keys">Keys</TextLink>. You get a secret key and its ID.
          </List.Item>
          <List.Item>
            Set them as the environment variables <code>PARLEY_KEY</code> and <code>PARLEY_KEY_ID</code>. Never put a
            server key in a web page or an app.
          </List.Item>
          <List.Item>
            See the <Anchor href={`${site.apiUrl}/docs`}>API reference</Anchor> for all routes, or generate a client
            from <Anchor href={`${site.apiUrl}/openapi.json`}>openapi.json</Anchor>.
          </List.Item>
        </List>
      </Section>
      <Section
        title="Test your key"
        description="Returns your organisation and the key’s permissions. Works with any server key."
      >
        <Snippet label={`Test your key (${language})`}>{snippet({ method: 'GET', path: '/me' })}</Snippet>
      </Section>
      <Section
        title="List conversations"
        description="Newest first. The key needs the permission “Read conversations”."
      >
        <Snippet label={`List conversations (${language})`}>
          {snippet({ method: 'GET', path: '/conversations?limit=5' })}
        </Snippet>
      </Section>
      <Section
        title="Create a session for a signed-in user"
        description="Your server creates the session after the user signs in to your site, and passes the session token to the widget. Users then see their conversations on every device. The key needs the permission “Create widget sessions”."
      >
        <Stack gap="xs">
          {!isComplete && (
            <Text>
              Values in capitals are placeholders. <TextLink to="/bots">Create a bot</TextLink> to see its ID here.
            </Text>
          )}
          <Snippet label={`Create a session (${language})`}>
            {snippet({ method: 'POST', path: '/widget/sessions/authenticated', body: session })}
          </Snippet>
        </Stack>
      </Section>
      <Section
        title="Verify webhooks"
        description="Your endpoint’s URL is public, so anyone can call it. Verify the signature of each request with the endpoint’s secret and the raw body."
      >
        <Snippet label="Verify a request (TypeScript, Node.js)">{verifySnippet}</Snippet>
        <Text>
          Then open your <TextLink to="/developers/webhooks">endpoint</TextLink> and run the security self-test. It
          sends forged and expired requests and shows which ones your server accepted.
        </Text>
      </Section>
    </Page>
  );
}
