import { portalContext, read } from '@parley/portal-kit/context';
import type { LoaderFunctionArgs } from 'react-router';

/** Everything that is stored about a contact, as a file. */
export async function loader({ context, params, request }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const id = params['contactId'] ?? '';
  const data = read(await service.GET('/contacts/{id}/export', { params: { path: { id } } }), request);
  return new Response(JSON.stringify(data, null, 2), {
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'content-disposition': `attachment; filename="contact-${id.replaceAll(/\W/g, '')}.json"`,
    },
  });
}
