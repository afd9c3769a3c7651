import { Anchor } from '@mantine/core';
import { portalContext } from '@parley/portal-kit/context';
import { safeNext, SignInForm } from '@parley/portal-kit/ui';
import { Link, redirect, useLoaderData, type LoaderFunctionArgs } from 'react-router';

export const meta = () => [{ title: 'Sign in · Parley' }];

export async function loader({ context, request }: LoaderFunctionArgs) {
  const { isSignedIn, signedOutReason, site, service } = context.get(portalContext);
  const { searchParams } = new URL(request.url);
  const next = safeNext(searchParams.get('next'));
  if (isSignedIn) throw redirect(next);
  // If the options can't be read, offer everything. The service refuses what is turned off.
  const { data: options } = await service.GET('/auth/options');
  return {
    next,
    signedOutReason,
    acceptsPassword: options?.passwordSignIn ?? true,
    acceptsSignUp: options?.signup ?? true,
    isUnfinished: searchParams.get('problem') === 'not_finished',
    forgotUrl: `${site.apiUrl}/pools/customer/forgot`,
  };
}

export default function SignIn() {
  const { acceptsSignUp, ...form } = useLoaderData<typeof loader>();
  return (
    <SignInForm
      {...form}
      end={
        acceptsSignUp && (
          <>
            New to Parley?{' '}
            <Anchor component={Link} to="/sign-up">
              Create an account
            </Anchor>
          </>
        )
      }
    />
  );
}
