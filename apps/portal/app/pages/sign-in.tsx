import { Anchor } from '@mantine/core';
import { portalContext } from '@parley/portal-kit/context';
import { safeNext, SignInForm } from '@parley/portal-kit/ui';
import { Link, redirect, useLoaderData, type LoaderFunctionArgs } from 'react-router';

export const meta = () => [{ title: 'Sign in · Parley' }];

export async function loader({ context, request }: LoaderFunctionArgs) {
  const { isSignedIn, isVisitOver, site, service } = context.get(portalContext);
  const { searchParams } = new URL(request.url);
  const next = safeNext(searchParams.get('next'));
  if (isSignedIn) throw redirect(next);
  // What cannot be asked now is offered: the service says it where it is refused.
  const { data: offered } = await service.GET('/auth/options');
  return {
    next,
    isVisitOver,
    takesPassword: offered?.passwordSignIn ?? true,
    takesSignUp: offered?.signup ?? true,
    isUnfinished: searchParams.get('problem') === 'not_finished',
    forgotUrl: `${site.apiUrl}/pools/customer/forgot`,
  };
}

export default function SignIn() {
  const { takesSignUp, isVisitOver, ...form } = useLoaderData<typeof loader>();
  return (
    <SignInForm
      title={isVisitOver ? 'This visit has ended' : 'Sign in to Parley'}
      {...(isVisitOver && {
        about: 'Nobody acts in the member’s place any more. Close this page, or sign in with an account of your own.',
      })}
      {...form}
      more={
        takesSignUp && (
          <Anchor component={Link} to="/sign-up">
            Create an account
          </Anchor>
        )
      }
    />
  );
}
