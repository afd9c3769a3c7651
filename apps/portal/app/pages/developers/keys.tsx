import { Button } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import { Empty, FilterChips, Page, Pager, Rows, Section, WithReason } from '@parley/portal-kit/ui';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useLoaderData, useSearchParams, type LoaderFunctionArgs } from 'react-router';
import { useLayoutData } from '../../parts/me.ts';
import { denialReason } from '../../parts/rights.ts';
import { CreateKey } from './parts/key-create.tsx';
import { KeyRow } from './parts/key-row.tsx';
import { KeySecret, type RevealedKey } from './parts/key-secret.tsx';
import { TabError } from './parts/tab-error.tsx';

export const meta = () => [{ title: 'Keys · Parley' }];
export const ErrorBoundary = TabError;

const types = { server: 'secret_server', widget: 'public_widget' } as const;
const isType = (value: string | null): value is keyof typeof types => value !== null && value in types;

const filters = [
  {
    name: 'type',
    label: 'Type',
    options: [
      { value: 'server', label: 'Server' },
      { value: 'widget', label: 'Widget' },
    ],
  },
];
const right = (label: string) => ({ label, align: 'right' as const });
const columns = [
  'Name',
  'Type',
  'Status',
  'Permissions',
  'Scope',
  right('Last used'),
  right('Expires'),
  right('Created'),
  'Actions',
];

export async function loader({ context, request }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const { searchParams } = new URL(request.url);
  const type = searchParams.get('type');
  const cursor = searchParams.get('cursor');
  const query = { limit: 25, ...(cursor && { cursor }), ...(isType(type) && { keyType: types[type] }) };
  const all = { params: { query: { limit: 100 } } };
  const [keys, bots, environments, members] = await Promise.all([
    service.GET('/api-keys', { params: { query } }),
    service.GET('/bots', all),
    service.GET('/environments', all),
    service.GET('/members', all),
  ]);
  const { data, nextCursor } = read(keys, request);
  const people = members.data?.data.map(({ userId, name, email }) => [userId, name || email] as const) ?? [];
  return {
    keys: data,
    nextCursor,
    bots:
      bots.data?.data
        .filter(({ status }) => status !== 'archived')
        .map(({ id, name, workspaceId, deployments }) => ({
          id,
          name,
          workspaceId,
          deployedIn: Object.keys(deployments),
        })) ?? [],
    environments: environments.data?.data ?? [],
    people: Object.fromEntries(people) as Record<string, string>,
  };
}

export default function Keys() {
  const { keys, nextCursor, bots, environments, people } = useLoaderData<typeof loader>();
  const { me, site } = useLayoutData();
  const [search] = useSearchParams();
  const [isCreating, setCreating] = useState(false);
  const [revealed, setRevealed] = useState<RevealedKey>();
  const reason = denialReason(me, 'api_key.manage', 'api_keys');
  const type = search.get('type');
  const create = (
    <WithReason reason={reason}>
      <Button disabled={reason !== undefined} onClick={() => setCreating(true)} leftSection={<IconPlus size={16} />}>
        Create key
      </Button>
    </WithReason>
  );
  return (
    <Page
      title="API keys"
      description="Server keys let your backend call the API. Widget keys let your website open chats with one bot."
      actions={create}
    >
      {revealed && (
        <KeySecret
          revealed={revealed}
          onSaved={() => setRevealed({ ...revealed, secret: undefined })}
          onDone={() => setRevealed(undefined)}
        />
      )}
      <FilterChips filters={filters} />
      <Section>
        {keys.length === 0 ? (
          <Empty
            title={isType(type) ? `No ${type} keys` : 'No keys yet'}
            drawing="key"
            action={create}
            docs={{ href: `${site.apiUrl}/docs`, label: 'API reference' }}
          >
            Keys authenticate your requests to the API. Create a server key to make your first request.
          </Empty>
        ) : (
          <Rows label="Key list" columns={columns} minWidth={1040} hasActions>
            {keys.map((key) => (
              <KeyRow
                key={key.id}
                apiKey={key}
                {...{ bots, environments, people, reason }}
                onSecret={(secret) => {
                  setRevealed(secret);
                  scrollTo({ top: 0 });
                }}
              />
            ))}
          </Rows>
        )}
        <Pager nextCursor={nextCursor} />
      </Section>
      <CreateKey
        isOpen={isCreating}
        onClose={() => setCreating(false)}
        onCreated={(secret) => {
          setCreating(false);
          setRevealed(secret);
          scrollTo({ top: 0 });
        }}
        {...{ bots, environments }}
      />
    </Page>
  );
}
