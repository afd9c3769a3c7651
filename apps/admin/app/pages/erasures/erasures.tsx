import { portalContext, read } from '@parley/portal-kit/context';
import { Empty, Page, Pager, Section } from '@parley/portal-kit/ui';
import { useLoaderData, type LoaderFunctionArgs } from 'react-router';
import { ReceiptLookup } from './receipt-lookup.tsx';
import { Receipts } from './receipts.tsx';

export const meta = () => [{ title: 'Erasures · Parley admin' }];

const isTenantId = (text: string) => /^ten_[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(text);

export async function loader({ context, request }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const { searchParams } = new URL(request.url);
  const cursor = searchParams.get('cursor');
  const tenantId = searchParams.get('tenantId')?.trim().slice(0, 80) ?? '';
  const isInvalid = tenantId !== '' && !isTenantId(tenantId);
  const query = { limit: 25, ...(tenantId && { tenantId }), ...(cursor && { cursor }) };
  const erasures = isInvalid
    ? { data: [], nextCursor: null }
    : read(await service.GET('/admin/erasures', { params: { query } }), request);
  return { erasures, tenantId, isInvalid };
}

export default function Erasures() {
  const { erasures, tenantId, isInvalid } = useLoaderData<typeof loader>();
  return (
    <Page
      title="Erasures"
      description="A deleted tenant’s data is erased after 30 days. A receipt with counts and a hash, but no name, is kept for 10 years."
    >
      <Section title="Find a receipt">
        <ReceiptLookup tenantId={tenantId} isInvalid={isInvalid} />
      </Section>
      <Section title="Receipts">
        {erasures.data.length > 0 ? (
          <Receipts erasures={erasures.data} />
        ) : tenantId ? (
          <Empty title="No receipt found" drawing="document">
            {isInvalid
              ? 'That isn’t a valid tenant ID.'
              : 'This tenant was never erased here, was erased more than 10 years ago, or is still in its 30-day waiting period.'}
          </Empty>
        ) : (
          <Empty title="No erasures yet" drawing="document">
            Receipts appear here 30 days after a tenant is deleted.
          </Empty>
        )}
        <Pager nextCursor={erasures.nextCursor} />
      </Section>
    </Page>
  );
}
