import { Button, Loader, Group, Text } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import { Ago, ProblemText, Section, Snippet, Status, TextLink, useAction } from '@parley/portal-kit/ui';
import { useLayoutData } from '../../parts/me.ts';
import { rolesWith } from '../../parts/rights.ts';
import { createWidgetKey } from '../../parts/widget-key.ts';
import { tag } from '../bots/platforms.ts';

interface Props {
  bot: Schemas['Bot'];
  widgetKey: { publicKey: string | undefined } | null;
  environmentId: string | null;
  installs: { origin: string; firstSeenAt: string }[];
}

/** The snippet to paste, and whether it has been detected on a page. */
export function SnippetStep({ bot, widgetKey, environmentId, installs }: Props) {
  const { site } = useLayoutData();
  /** Where publishing was interrupted before the key was created. */
  const createKey = useAction(() => createWidgetKey(bot, environmentId));
  const publicKey = widgetKey?.publicKey;
  return (
    <Section
      title="Add to your website"
      description={`Paste this line before </body> on the pages of ${bot.allowedOrigins.join(', ') || 'your website'}.`}
    >
      {publicKey && (
        <Snippet label="Embed snippet">
          {tag({ src: `${site.cdnUrl}/chatbot-widget.js`, publicKey, botId: bot.id })}
        </Snippet>
      )}
      {widgetKey && !publicKey && <Text>Only {rolesWith('api_key.manage')} can see the snippet with its key.</Text>}
      {!widgetKey && (
        <Button size="xs" w="fit-content" onClick={() => void createKey.run()} loading={createKey.isRunning}>
          Create widget key
        </Button>
      )}
      <ProblemText problem={createKey.problem} />
      <div role="status">
        {installs.length > 0 ? (
          installs.slice(0, 3).map(({ origin, firstSeenAt }) => (
            <Text key={origin}>
              <Status tone="good">Installed</Status> Your widget was loaded on{' '}
              <b>{origin.replace(/^https?:\/\//, '')}</b> <Ago at={firstSeenAt} />. You’re all set.
            </Text>
          ))
        ) : (
          <Group gap="xs" wrap="nowrap">
            <Loader size="xs" aria-hidden />
            <Text>Waiting for your widget to load. Open your page in a browser; it shows up here within seconds.</Text>
          </Group>
        )}
      </div>
      <Group gap="md">
        <TextLink to={`/bots/${bot.id}/install`}>Install on another platform</TextLink>
        <TextLink to={`/bots/${bot.id}/appearance`}>Change the appearance</TextLink>
        {installs.length > 0 && (
          <Button component="a" href="/" size="xs" variant="default">
            Go to home
          </Button>
        )}
      </Group>
    </Section>
  );
}
