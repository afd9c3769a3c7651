import { portalContext, read } from '@parley/portal-kit/context';
import { Empty, Page, Pager, Section } from '@parley/portal-kit/ui';
import { useLoaderData, type LoaderFunctionArgs } from 'react-router';
import { LookUp } from './look-up.tsx';
import { Receipts } from './receipts.tsx';

export const meta = () => [{ title: 'Erasures · Parley operators' }];

const isTenantId = (text: string) => /^ten_[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(text);

export async function loader({ context, request }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const { searchParams } = new URL(request.url);
  const cursor = searchParams.get('cursor');
  const tenantId = searchParams.get('tenantId')?.trim().slice(0, 80) ?? '';
  const isWrong = tenantId !== '' && !isTenantId(tenantId);
  const query = { limit: 25, ...(tenantId && { tenantId }), ...(cursor && { cursor }) };
  const erasures = isWrong
    ? { data: [], nextCursor: null }
    : read(await service.GET('/admin/erasures', { params: { query } }), request);
  return { erasures, tenantId, isWrong };
}

export default function Erasures() {
  const { erasures, tenantId, isWrong } = useLoaderData<typeof loader>();
  return (
    <Page
      title="Erasures"
      about="Thirty days after a tenant is deleted, everything of it is erased. What is left is a receipt, kept for ten years: it has counts and a hash, and no name."
    >
      <Section title="Was this tenant erased?">
        <LookUp tenantId={tenantId} isWrong={isWrong} />
      </Section>
      <Section title="Receipts">
        {erasures.data.length > 0 ? (
          <Receipts erasures={erasures.data} />
        ) : tenantId ? (
          <Empty title="No receipt for this id">
            {isWrong
              ? 'It is not the id of a tenant.'
              : 'It was never erased here, or more than ten years ago. A deleted tenant waits for thirty days.'}
          </Empty>
        ) : (
          <Empty title="Nothing has been erased yet">
            A receipt appears here when the first deleted tenant is erased.
          </Empty>
        )}
        <Pager nextCursor={erasures.nextCursor} />
      </Section>
    </Page>
  );
}
