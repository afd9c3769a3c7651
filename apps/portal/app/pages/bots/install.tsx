import { portalContext, read } from '@parley/portal-kit/context';
import type { Schemas, Service } from '@parley/portal-kit/service';
import { api } from '@parley/portal-kit/ui';
import { useCallback, useState } from 'react';
import { useLoaderData, type LoaderFunctionArgs } from 'react-router';
import { readWidgetKey } from '../../parts/widget-key.ts';
import { usePoll } from '../developers/parts/poll.ts';
import { useBot } from './bot-data.ts';
import { EmbedCode, type WidgetKey } from './embed-code.tsx';
import { Installs } from './installs.tsx';
import { Sites } from './sites.tsx';

export const meta = () => [{ title: 'Install · Parley' }];

export async function loader({ context, request, params }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const botId = params['botId'] ?? '';
  const [keys, installs] = await Promise.all([
    service.GET('/api-keys', { params: { query: { keyType: 'public_widget', limit: 100 } } }),
    service.GET('/bots/{id}/installs', { params: { path: { id: botId } } }),
  ]);
  // Members who can't see keys still get the rest of the page.
  const all = keys.response.status === 403 ? undefined : read(keys, request).data;
  return {
    keys: all && (await withPublicKeys(service, widgetKeysOf(all, botId))),
    installs: installs.data?.data ?? [],
  };
}

const widgetKeysOf = (keys: Schemas['ApiKey'][], botId: string) =>
  keys.filter(({ boundBotId, status }) => boundBotId === botId && ['active', 'rotating'].includes(status));

async function withPublicKeys(service: Service, keys: Schemas['ApiKey'][]): Promise<WidgetKey[]> {
  const responses = await Promise.all(
    keys.slice(0, 10).map(async (key) => ({ ...key, publicKey: await readWidgetKey(service, key.id) })),
  );
  return responses.filter((key): key is WidgetKey => key.publicKey !== undefined);
}

/** The snippet for the website, whether it was seen there, and where it may run. */
export default function Install() {
  const { keys, installs: loaded } = useLoaderData<typeof loader>();
  const { id } = useBot().bot;
  const [seen, setSeen] = useState<typeof loaded>([]);
  const installs = loaded.length > 0 ? loaded : seen;
  // Only these: loading the whole page reveals its keys each time.
  const readInstalls = useCallback(
    () => api.GET('/bots/{id}/installs', { params: { path: { id } } }).then(({ data }) => data && setSeen(data.data)),
    [id],
  );
  usePoll(installs.length === 0, 5_000, readInstalls);
  return (
    <>
      <EmbedCode keys={keys} />
      <Installs installs={installs} />
      <Sites />
    </>
  );
}
