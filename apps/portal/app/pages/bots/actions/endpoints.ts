import type { Service } from '@parley/portal-kit/service';

export interface Endpoint {
  id: string;
  label: string;
}

/** Endpoints an action can call; empty if the member can't view webhooks. */
export async function endpointsOf(service: Service): Promise<Endpoint[]> {
  const { data } = await service.GET('/webhooks', { params: { query: { limit: 100 } } });
  return (
    data?.data.map(({ id, description, url }) => ({ id, label: description ? `${description} (${url})` : url })) ?? []
  );
}
