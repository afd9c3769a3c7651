import type { Schemas } from '@parley/portal-kit/service';

export type Endpoint = Schemas['SupportedEndpoint'];
export type Delivery = Schemas['SupportedDelivery'];

type Tone = 'good' | 'warn' | 'bad' | 'idle';

export const endpointStatusLabels: Record<Endpoint['status'], { tone: Tone; label: string }> = {
  active: { tone: 'good', label: 'Active' },
  failing: { tone: 'warn', label: 'Failing' },
  broken: { tone: 'bad', label: 'Broken' },
  disabled: { tone: 'bad', label: 'Disabled' },
  paused: { tone: 'idle', label: 'Paused' },
};
export const unhealthy = ['failing', 'broken', 'disabled', 'paused'] as const;
export const isUnhealthy = (value: string | null): value is (typeof unhealthy)[number] =>
  unhealthy.some((status) => status === value);

export const deliveryStatusLabels: Record<Delivery['status'], { tone: Tone; label: string }> = {
  pending: { tone: 'warn', label: 'Pending' },
  succeeded: { tone: 'good', label: 'Delivered' },
  exhausted: { tone: 'bad', label: 'Failed' },
  aborted: { tone: 'bad', label: 'Cancelled by endpoint' },
  expired: { tone: 'bad', label: 'Expired' },
};
export const deliveryStatuses = Object.keys(deliveryStatusLabels) as Delivery['status'][];
export const isDeliveryStatus = (value: string | null): value is Delivery['status'] =>
  value !== null && value in deliveryStatusLabels;

export const statusOf = ({ status, isHeld }: Pick<Delivery, 'status' | 'isHeld'>) =>
  isHeld ? ({ tone: 'idle', label: 'On hold' } as const) : deliveryStatusLabels[status];

/** The service stops counting at 1,000. */
export const formatWaiting = (waiting: number): string => (waiting >= 1_000 ? '1,000+' : String(waiting));

export const endpointPath = ({ tenantId, id }: Pick<Endpoint, 'tenantId' | 'id'>) => `/deliveries/${tenantId}/${id}`;
export const deliveryPath = ({ tenantId, webhookId, id }: Pick<Delivery, 'tenantId' | 'webhookId' | 'id'>) =>
  `/deliveries/${tenantId}/${webhookId}/${id}`;
