import { portalContext } from '@parley/portal-kit/context';
import { safeNext, SignInForm } from '@parley/portal-kit/ui';
import { redirect, useLoaderData, type LoaderFunctionArgs } from 'react-router';

export const meta = () => [{ title: 'Sign in · Parley admin' }];

export async function loader({ context, request }: LoaderFunctionArgs) {
  const { isSignedIn, signedOutReason, site, service } = context.get(portalContext);
  const { searchParams } = new URL(request.url);
  const next = safeNext(searchParams.get('next'));
  if (isSignedIn) throw redirect(next);
  // If the options can't be read, offer everything. The service refuses what is turned off.
  const { data: options } = await service.GET('/admin/auth/options');
  return {
    next,
    signedOutReason,
    acceptsPassword: options?.passwordSignIn ?? true,
    isUnfinished: searchParams.get('problem') === 'not_finished',
    forgotUrl: `${site.apiUrl}/pools/admin/forgot`,
  };
}

export default function SignIn() {
  const form = useLoaderData<typeof loader>();
  return (
    <SignInForm pool="admin" description="For platform admins. Two-factor authentication is required." {...form} />
  );
}
