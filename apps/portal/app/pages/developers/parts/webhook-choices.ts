import type { Schemas, Service } from '@parley/portal-kit/service';

/** Options for an endpoint. Those the member may not read are left out, and the rest of the page still works. */
export interface WebhookChoices {
  eventTypes: Pick<Schemas['WebhookEventType'], 'type' | 'sample'>[];
  environments: { id: string; name: string }[];
  bots: { id: string; name: string }[];
}

export async function choicesOf(service: Service): Promise<WebhookChoices> {
  const all = { params: { query: { limit: 100 } } };
  const [types, environments, bots] = await Promise.all([
    service.GET('/webhook-event-types'),
    service.GET('/environments', all),
    service.GET('/bots', all),
  ]);
  return {
    eventTypes: types.data?.data.map(({ type, sample }) => ({ type, sample })) ?? [],
    environments: environments.data?.data.map(({ id, name }) => ({ id, name })) ?? [],
    bots: bots.data?.data.map(({ id, name }) => ({ id, name })) ?? [],
  };
}
