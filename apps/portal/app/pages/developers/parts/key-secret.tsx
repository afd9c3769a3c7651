import { Button, Stack, Text } from '@mantine/core';
import { Id, Section, SecretPanel, Snippet } from '@parley/portal-kit/ui';
import { useLayoutData } from '../../../parts/me.ts';
import { Countdown } from './countdown.tsx';
import type { ApiKey } from './key-labels.ts';
import { curlOf } from './snippets.ts';

export interface RevealedKey {
  apiKey: ApiKey;
  /** Removed once it has been saved. */
  secret: string | undefined;
  /** When the old secret of a rotated key expires. */
  previousExpiresAt?: string;
}

/** The secret of a key, with its ID, the headers to send and a request to test it. */
export function KeySecret({ revealed, onSaved, onDone }: { revealed: RevealedKey; onSaved(): void; onDone(): void }) {
  const { apiKey, secret, previousExpiresAt } = revealed;
  const { apiUrl } = useLayoutData().site;
  const isServer = apiKey.keyType === 'secret_server';
  return (
    <Section
      title={`Key “${apiKey.name}”`}
      actions={
        <Button size="xs" variant="default" onClick={onDone}>
          Hide
        </Button>
      }
    >
      <Stack gap="sm">
        {secret && isServer && (
          <SecretPanel title="Secret key" secret={secret} fileName={`${apiKey.id}.txt`} onSaved={onSaved} />
        )}
        {secret && !isServer && <Snippet label="Widget key (public, for the HTML of your website)">{secret}</Snippet>}
        <Text component="div">
          Key ID: <Id id={apiKey.id} />{' '}
          {isServer
            ? 'The ID isn’t secret. Send the key and its ID with each request.'
            : 'You can view this key again at any time.'}
        </Text>
        {previousExpiresAt && (
          <Text>
            The old secret expires <Countdown until={previousExpiresAt} />. Replace it everywhere before then.
          </Text>
        )}
        {isServer && (
          <>
            <Snippet label="Request headers">
              {`Authorization: Bearer <your key>\nX-Service-Api-Key-Id: ${apiKey.id}`}
            </Snippet>
            <Snippet label="Test it (set PARLEY_KEY to your key first)">
              {curlOf(apiUrl, { method: 'GET', path: '/me' }, apiKey.id)}
            </Snippet>
          </>
        )}
      </Stack>
    </Section>
  );
}
