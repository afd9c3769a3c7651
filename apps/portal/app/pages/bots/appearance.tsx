import { portalContext, read } from '@parley/portal-kit/context';
import type { LoaderFunctionArgs } from 'react-router';
import { useLoaderData } from 'react-router';
import { SaveBar, useDraft } from './draft.tsx';
import { EmbedCode } from './embed-code.tsx';
import { Look } from './look.tsx';
import { Sites } from './sites.tsx';

export const meta = () => [{ title: 'Appearance · Parley' }];

export async function loader({ context, request, params }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const botId = params['botId'] ?? '';
  const [keys, seen] = await Promise.all([
    service.GET('/api-keys', { params: { query: { keyType: 'public_widget', limit: 100 } } }),
    service.GET('/bots/{id}/sightings', { params: { path: { id: botId } } }),
  ]);
  // Keys are not for everybody: the rest of the page is.
  const all = keys.response.status === 403 ? undefined : read(keys, request).data;
  return {
    keys: all?.filter(({ boundBotId, status }) => boundBotId === botId && ['active', 'rotating'].includes(status)),
    seen: seen.data?.data ?? [],
  };
}

export default function AppearancePage() {
  const { keys, seen } = useLoaderData<typeof loader>();
  const drafting = useDraft();
  return (
    <>
      <Look drafting={drafting} />
      <SaveBar drafting={drafting} />
      <Sites seen={seen} />
      <EmbedCode keys={keys} />
    </>
  );
}
