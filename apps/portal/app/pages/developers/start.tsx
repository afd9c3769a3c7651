import { Anchor, List, SegmentedControl, Stack, Text } from '@mantine/core';
import { portalContext } from '@parley/portal-kit/context';
import { Page, Section, Snippet, TextLink } from '@parley/portal-kit/ui';
import { useLoaderData, useSearchParams, type LoaderFunctionArgs } from 'react-router';
import { useKnown } from '../../parts/me.ts';
import { snippetOf, verifySnippet, type Call, type Form } from './parts/snippets.ts';
import { TabError } from './parts/tab-error.tsx';

export const meta = () => [{ title: 'Developers · Parley' }];
export const ErrorBoundary = TabError;

/** Ids for the examples. What may not be read, or is not there yet, stays a word in capitals. */
export async function loader({ context }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const query = { limit: 100 };
  const [bots, environments, workspaces] = await Promise.all([
    service.GET('/bots', { params: { query } }),
    service.GET('/environments', { params: { query } }),
    service.GET('/workspaces', { params: { query } }),
  ]);
  // One that answers somewhere makes the better example.
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
  const { me, site } = useKnown();
  const [search, setSearch] = useSearchParams();
  const form: Form = search.get('in') === 'ts' ? 'ts' : 'curl';
  const language = form === 'curl' ? 'curl' : 'TypeScript';
  const show = (call: Call) => snippetOf(form, site.apiUrl, call);
  const session = {
    tenantId: me.tenantId,
    ...ids,
    externalUserId: 'user-42',
    email: 'kim@example.com',
  };
  return (
    <Page
      title="Start with the API"
      about="Copy a call, put in your key, run it. The addresses and ids below are your own."
      actions={
        <SegmentedControl
          value={form}
          onChange={(value) => setSearch({ in: value }, { replace: true, preventScrollReset: true })}
          data={[
            { value: 'curl', label: 'curl' },
            { value: 'ts', label: 'TypeScript' },
          ]}
          aria-label="Language of the examples"
        />
      }
    >
      <Section title="Before you begin">
        <List spacing={4}>
          <List.Item>
            Make a server key under <TextLink to="/developers/keys">Keys</TextLink>. You get a key and its id.
          </List.Item>
          <List.Item>
            Keep them as <code>PARLEY_KEY</code> and <code>PARLEY_KEY_ID</code> in your environment. A server key never
            belongs into a page or an app.
          </List.Item>
          <List.Item>
            All routes are in the <Anchor href={`${site.apiUrl}/docs`}>API reference</Anchor>. Generate a client from{' '}
            <Anchor href={`${site.apiUrl}/openapi.json`}>openapi.json</Anchor>.
          </List.Item>
        </List>
      </Section>
      <Section title="Who am I" about="Shows the organisation and what the key may do. It works with every server key.">
        <Snippet label={`Who am I, in ${language}`}>{show({ method: 'GET', path: '/me' })}</Snippet>
      </Section>
      <Section title="List conversations" about="The newest come first. The key needs “Read conversations”.">
        <Snippet label={`List conversations, in ${language}`}>
          {show({ method: 'GET', path: '/conversations?limit=5' })}
        </Snippet>
      </Section>
      <Section
        title="Open a session for a signed-in user"
        about="Your server asks for it after your own sign-in, and hands the session token to the widget on the page. So the person finds their conversations again on every device."
      >
        <Stack gap="xs">
          {!isComplete && (
            <Text>
              Words in capitals stand for what you do not have yet. <TextLink to="/bots">Make a bot</TextLink> to see
              its id here.
            </Text>
          )}
          <Snippet label={`Open a session, in ${language}`}>
            {show({ method: 'POST', path: '/widget/sessions/authenticated', body: session })}
          </Snippet>
        </Stack>
      </Section>
      <Section
        title="Verify a webhook"
        about="Whoever knows your address can call it. Take only what is signed with the secret of your endpoint, over the raw bytes of the body."
      >
        <Snippet label="In TypeScript, for Node">{verifySnippet}</Snippet>
        <Text>
          Then try it: an <TextLink to="/developers/webhooks">endpoint</TextLink> has a security self-test, which sends
          forged and old calls and says what you took.
        </Text>
      </Section>
    </Page>
  );
}
