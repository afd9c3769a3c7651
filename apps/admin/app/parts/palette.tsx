import { api, type PaletteItem } from '@parley/portal-kit/ui';
import { IconBuilding } from '@tabler/icons-react';

// The command palette: the pages below the main menu, and tenants.

const page = (to: string, label: string, detail: string): PaletteItem => ({
  id: to,
  group: 'Pages',
  to,
  label,
  detail,
});

export const commands: readonly PaletteItem[] = [
  page('/operations/invocations', 'Invocations', 'Operations'),
  page('/operations/jobs', 'Jobs', 'Operations'),
  page('/operations/rate-limit-usage', 'Rate limits', 'Operations'),
  page('/operations/busiest-tenants', 'Busiest tenants', 'Operations'),
  page('/deliveries/held', 'Paused deliveries', 'Deliveries'),
  page('/deliveries/exhausted', 'Failed deliveries', 'Deliveries'),
  page('/audit/pools', 'Sign-in log', 'Audit log'),
  page('/profile', 'Profile', 'You'),
];

export async function search(query: string): Promise<PaletteItem[]> {
  const { data } = await api.GET('/admin/tenants', { params: { query: { limit: 8, query } } });
  return (data?.data ?? []).map(({ id, name, plan }) => ({
    id,
    group: 'Tenants',
    label: name,
    detail: plan,
    to: `/tenants/${id}`,
    icon: <IconBuilding size={18} aria-hidden />,
  }));
}
