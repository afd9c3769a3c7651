import { interactionPolicy } from 'oidc-provider';

/**
 * Any local program can claim to be the CLI, so a browser that is already signed in does not skip the sign-in page. The
 * library's own consent prompt after that is removed.
 */
export function promptPolicy() {
  const { base, Check } = interactionPolicy;
  const policy = base();
  policy.get('consent')?.checks.remove('native_client_prompt');
  policy
    .get('login')
    ?.checks.add(
      new Check('native_client', 'a native app on the user’s device requests sign-in', ({ oidc }) =>
        oidc.client?.applicationType === 'native' && !oidc.result?.login
          ? Check.REQUEST_PROMPT
          : Check.NO_NEED_TO_PROMPT,
      ),
    );
  return policy;
}
