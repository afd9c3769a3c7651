import { Button, Loader, Group, Text } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import { Ago, api, call, ProblemText, Section, Snippet, Status, TextLink, useAction } from '@parley/portal-kit/ui';
import { useState } from 'react';
import { useKnown } from '../../parts/me.ts';
import { tag } from '../bots/platforms.ts';
import { makeWidgetKey } from '../../parts/widget-key.ts';

interface Props {
  bot: Schemas['Bot'];
  keyId: string | null;
  /** The secret of a key that was made a moment ago. */
  madeKey: string | undefined;
  environmentId: string | null;
  sightings: { origin: string; firstSeenAt: string }[];
}

/** The line to paste, and the word that we have seen it. */
export function SnippetStep({ bot, keyId, madeKey, environmentId, sightings }: Props) {
  const { site } = useKnown();
  const [found, setFound] = useState<string>();
  const reveal = useAction(
    async (id: string) =>
      setFound((await call(api.POST('/api-keys/{id}/reveal', { params: { path: { id } } }))).secret),
    { isQuiet: true },
  );
  const publicKey = madeKey ?? found;
  /** Where publishing was interrupted before there was one. */
  const make = useAction(async () => setFound((await makeWidgetKey(bot, environmentId)).secret));
  const snippet = tag({ src: `${site.cdnUrl}/chatbot-widget.js`, publicKey: publicKey ?? 'pk_live_…', botId: bot.id });
  return (
    <Section
      title="Put it on your page"
      about={`Paste this line into the pages of ${bot.allowedOrigins.join(', ') || 'your site'}, anywhere before </body>.`}
    >
      <Snippet label="Embed snippet">{snippet}</Snippet>
      {!publicKey && keyId && (
        <Button
          size="xs"
          variant="default"
          w="fit-content"
          onClick={() => void reveal.run(keyId)}
          loading={reveal.isRunning}
        >
          Put the key in
        </Button>
      )}
      {!publicKey && !keyId && (
        <Button size="xs" variant="default" w="fit-content" onClick={() => void make.run()} loading={make.isRunning}>
          Make the key
        </Button>
      )}
      <ProblemText problem={reveal.problem ?? make.problem} />
      <div role="status">
        {sightings.length > 0 ? (
          sightings.slice(0, 3).map(({ origin, firstSeenAt }) => (
            <Text key={origin}>
              <Status tone="good">Seen</Status> We saw your widget on <b>{origin.replace(/^https?:\/\//, '')}</b>{' '}
              <Ago at={firstSeenAt} />. You are done.
            </Text>
          ))
        ) : (
          <Group gap="xs" wrap="nowrap">
            <Loader size="xs" aria-hidden />
            <Text>Waiting for the first page with your widget. Open your page once; this says so within seconds.</Text>
          </Group>
        )}
      </div>
      <Group gap="md">
        <TextLink to={`/bots/${bot.id}/appearance`}>Other platforms and looks</TextLink>
        {sightings.length > 0 && (
          <Button component="a" href="/" size="xs" variant="default">
            Go to the overview
          </Button>
        )}
      </Group>
    </Section>
  );
}
