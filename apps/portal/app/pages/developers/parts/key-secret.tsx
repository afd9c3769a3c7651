import { Button, Stack, Text } from '@mantine/core';
import { Id, Section, SecretPanel, Snippet } from '@parley/portal-kit/ui';
import { useKnown } from '../../../parts/me.ts';
import { Countdown } from './countdown.tsx';
import type { ApiKey } from './key-words.ts';
import { curlOf } from './snippets.ts';

export interface ShownKey {
  apiKey: ApiKey;
  /** Gone once it was kept. */
  secret: string | undefined;
  /** Of a key that was rotated: when the old secret ends. */
  previousExpiresAt?: string;
}

/** The secret of a key, with what goes with it: its id, the headers to send, and a call to try. */
export function KeySecret({ shown, onKept, onDone }: { shown: ShownKey; onKept(): void; onDone(): void }) {
  const { apiKey, secret, previousExpiresAt } = shown;
  const { apiUrl } = useKnown().site;
  const isServer = apiKey.keyType === 'secret_server';
  return (
    <Section
      title={`The key “${apiKey.name}”`}
      actions={
        <Button size="xs" variant="default" onClick={onDone}>
          Hide
        </Button>
      }
    >
      <Stack gap="sm">
        {secret && isServer && (
          <SecretPanel title="The key, shown this once" secret={secret} fileName={`${apiKey.id}.txt`} onKept={onKept} />
        )}
        {secret && !isServer && (
          <Snippet label="The widget key. It is public: it stands in the HTML of your page">{secret}</Snippet>
        )}
        <Text component="div">
          Its id: <Id id={apiKey.id} />{' '}
          {isServer
            ? 'The id is no secret. Send both with each call.'
            : 'You can show the key again whenever you need it.'}
        </Text>
        {previousExpiresAt && (
          <Text>
            The old secret still works <Countdown until={previousExpiresAt} over="no longer" />. Put the new one
            everywhere before that.
          </Text>
        )}
        {isServer && (
          <>
            <Snippet label="Headers to send">
              {`Authorization: Bearer <the key>\nX-Service-Api-Key-Id: ${apiKey.id}`}
            </Snippet>
            <Snippet label="Try it: keep the key as PARLEY_KEY first">
              {curlOf(apiUrl, { method: 'GET', path: '/me' }, apiKey.id)}
            </Snippet>
          </>
        )}
      </Stack>
    </Section>
  );
}
