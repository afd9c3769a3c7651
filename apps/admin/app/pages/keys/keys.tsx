import { portalContext, read } from '@parley/portal-kit/context';
import { keepLast, Page, usePolling } from '@parley/portal-kit/ui';
import { useLoaderData, type LoaderFunctionArgs } from 'react-router';
import { Encryption } from './encryption.tsx';
import { History } from './history.tsx';
import { Signing } from './signing.tsx';

export const meta = () => [{ title: 'Keys and secrets · Parley admin' }];

export async function loader({ context, request }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const cursor = new URL(request.url).searchParams.get('cursor');
  const [keys, rotations] = await Promise.all([
    service.GET('/admin/keys'),
    service.GET('/admin/key-rotations', { params: { query: { limit: 10, ...(cursor && { cursor }) } } }),
  ]);
  return { keys: read(keys, request), rotations: read(rotations, request), now: Date.now() };
}

export const clientLoader = keepLast<typeof loader>();

export default function Keys() {
  const { keys, rotations, now } = useLoaderData<typeof loader>();
  usePolling(1_000, keys.running !== null);
  return (
    <Page
      title="Keys and secrets"
      description="Keys that sign tokens and encrypt tenant secrets. Only key IDs are shown, never the keys themselves."
    >
      <Encryption keys={keys} last={rotations.data[0]} now={now} />
      <Signing signers={keys.signing} />
      <History rotations={rotations} />
    </Page>
  );
}
