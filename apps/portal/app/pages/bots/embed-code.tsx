import { Button, Group, Select, Tabs, Text } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import { api, call, ProblemText, Section, Snippet, TextLink, useAction, WithReason } from '@parley/portal-kit/ui';
import { IconEye, IconKey } from '@tabler/icons-react';
import { useState } from 'react';
import { useKnown } from '../../parts/me.ts';
import { whyNot } from '../../parts/rights.ts';
import { makeWidgetKey } from '../../parts/widget-key.ts';
import { platforms } from './platforms.ts';
import { liveOf, useBot } from './shape.ts';

type Key = Schemas['ApiKey'];

/** The line that puts the bot on a page, with its key once that is shown or made. */
export function EmbedCode({ keys }: { keys: Key[] | undefined }) {
  const { bot, environments, newest } = useBot();
  const { me, site } = useKnown();
  const [keyId, setKeyId] = useState(keys?.[0]?.id);
  const [shown, setShown] = useState<Record<string, string>>({});
  const chosen = keys?.find(({ id }) => id === keyId) ?? keys?.[0];
  const reason = whyNot(me, 'api_key.manage', 'api_keys');
  const reveal = useAction(
    async (id: string) => {
      const { secret } = await call(api.POST('/api-keys/{id}/reveal', { params: { path: { id } } }));
      setShown((now) => ({ ...now, [id]: secret }));
    },
    { isQuiet: true },
  );
  const make = useAction(async () => {
    const { apiKey, secret } = await makeWidgetKey(bot, liveOf(environments)?.id ?? null);
    setShown((now) => ({ ...now, [apiKey.id]: secret }));
    setKeyId(apiKey.id);
  });
  const known = chosen && shown[chosen.id];
  const publicKey = known ?? chosen?.hint ?? 'pk_live_…';
  const where = (key: Key) =>
    environments.find(({ id }) => id === key.environmentId)?.name ?? liveOf(environments)?.name;
  return (
    <Section
      title="Put it on your pages"
      about="One line on every page that shall have the chat. Its key is public: it only opens chats with this bot, on the sites above."
    >
      {!newest && <Text>The chat appears once you have published the bot.</Text>}
      {keys && keys.length > 1 && (
        <Select
          label="Key"
          data={keys.map((key) => ({ value: key.id, label: `${key.name} (${key.hint}, ${where(key)})` }))}
          value={chosen?.id ?? null}
          onChange={(value) => setKeyId(value ?? undefined)}
          allowDeselect={false}
          maw={420}
        />
      )}
      {!known && (
        <Group gap="xs">
          <WithReason reason={reason}>
            {chosen ? (
              <Button
                leftSection={<IconEye size={16} aria-hidden />}
                loading={reveal.isRunning}
                disabled={reason !== undefined}
                onClick={() => void reveal.run(chosen.id)}
              >
                Put the key in
              </Button>
            ) : (
              <Button
                leftSection={<IconKey size={16} aria-hidden />}
                loading={make.isRunning}
                disabled={reason !== undefined || !keys}
                onClick={() => void make.run()}
              >
                Make a key for your pages
              </Button>
            )}
          </WithReason>
          <Text c="dimmed">
            {chosen ? `The code below needs the whole key ${chosen.hint}.` : 'The bot has no key for pages yet.'}
          </Text>
        </Group>
      )}
      {reason && <Text>{reason}</Text>}
      <ProblemText problem={reveal.problem ?? make.problem} />
      <Tabs defaultValue="html">
        <Tabs.List aria-label="Platform">
          {platforms.map(({ id, label }) => (
            <Tabs.Tab key={id} value={id}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {platforms.map(({ id, label, how, code }) => (
          <Tabs.Panel key={id} value={id} pt="sm">
            <Text mb="xs">{how}</Text>
            <Snippet label={`${label}${known ? '' : ' (without the key)'}`}>
              {code({ src: `${site.cdnUrl}/chatbot-widget.js`, publicKey, botId: bot.id })}
            </Snippet>
          </Tabs.Panel>
        ))}
      </Tabs>
      <Text size="sm" c="dimmed">
        Keys can be renewed and revoked under <TextLink to="/developers/keys">Developers, Keys</TextLink>.
      </Text>
    </Section>
  );
}
