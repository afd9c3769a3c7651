import type { Service } from '@parley/portal-kit/service';

export interface Endpoint {
  id: string;
  label: string;
}

/** Those that can be called; none where they may not be read. The page does not suffer. */
export async function endpointsOf(service: Service): Promise<Endpoint[]> {
  const { data } = await service.GET('/webhooks', { params: { query: { limit: 100 } } });
  return (
    data?.data.map(({ id, description, url }) => ({ id, label: description ? `${description} (${url})` : url })) ?? []
  );
}
