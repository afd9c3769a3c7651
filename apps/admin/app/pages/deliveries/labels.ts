import type { Schemas } from '@parley/portal-kit/service';

export type Endpoint = Schemas['SupportedEndpoint'];
export type Delivery = Schemas['SupportedDelivery'];

type Tone = 'good' | 'warn' | 'bad' | 'idle';

export const statusWords: Record<Endpoint['status'], { tone: Tone; word: string }> = {
  active: { tone: 'good', word: 'Active' },
  failing: { tone: 'warn', word: 'Failing' },
  broken: { tone: 'bad', word: 'Broken' },
  disabled: { tone: 'bad', word: 'Disabled' },
  paused: { tone: 'idle', word: 'Paused' },
};
export const unhealthy = ['failing', 'broken', 'disabled', 'paused'] as const;
export const isUnhealthy = (value: string | null): value is (typeof unhealthy)[number] =>
  unhealthy.some((status) => status === value);

export const deliveryWords: Record<Delivery['status'], { tone: Tone; word: string }> = {
  pending: { tone: 'warn', word: 'Pending' },
  succeeded: { tone: 'good', word: 'Delivered' },
  exhausted: { tone: 'bad', word: 'Failed' },
  aborted: { tone: 'bad', word: 'Cancelled by endpoint' },
  expired: { tone: 'bad', word: 'Expired' },
};
export const deliveryStatuses = Object.keys(deliveryWords) as Delivery['status'][];
export const isDeliveryStatus = (value: string | null): value is Delivery['status'] =>
  value !== null && value in deliveryWords;

export const statusOf = ({ status, isHeld }: Pick<Delivery, 'status' | 'isHeld'>) =>
  isHeld ? ({ tone: 'idle', word: 'On hold' } as const) : deliveryWords[status];

/** Counted no further by the service. */
export const waitingWords = (waiting: number): string => (waiting >= 1_000 ? '1,000+' : String(waiting));

export const endpointPath = ({ tenantId, id }: Pick<Endpoint, 'tenantId' | 'id'>) => `/deliveries/${tenantId}/${id}`;
export const deliveryPath = ({ tenantId, webhookId, id }: Pick<Delivery, 'tenantId' | 'webhookId' | 'id'>) =>
  `/deliveries/${tenantId}/${webhookId}/${id}`;
