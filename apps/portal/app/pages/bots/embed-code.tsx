import { Button, Select, Tabs, Text } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import { ProblemText, Section, Snippet, TextLink, useAction, WithReason } from '@parley/portal-kit/ui';
import { IconKey } from '@tabler/icons-react';
import { useState } from 'react';
import { useKnown } from '../../parts/me.ts';
import { whyNot } from '../../parts/rights.ts';
import { makeWidgetKey } from '../../parts/widget-key.ts';
import { platforms } from './platforms.ts';
import { liveOf, useBot } from './shape.ts';

export type WidgetKey = Schemas['ApiKey'] & { publicKey: string };

/** The line that adds the bot to a website, with the whole of its key. */
export function EmbedCode({ keys }: { keys: WidgetKey[] | undefined }) {
  const { bot, environments, newest } = useBot();
  const { me, site } = useKnown();
  const [keyId, setKeyId] = useState(keys?.[0]?.id);
  const chosen = keys?.find(({ id }) => id === keyId) ?? keys?.[0];
  const reason = whyNot(me, 'api_key.manage', 'api_keys');
  const make = useAction(async () => {
    const { apiKey } = await makeWidgetKey(bot, liveOf(environments)?.id ?? null);
    setKeyId(apiKey.id);
  });
  const nameOf = ({ environmentId }: WidgetKey) =>
    environments.find(({ id }) => id === environmentId)?.name ?? liveOf(environments)?.name;
  return (
    <Section
      title="Add to your website"
      about="One line on every page that should show the chat. Its key is public: it only opens chats with this bot, on the allowed sites above."
    >
      {!newest && <Text>The chat appears once you’ve published the bot.</Text>}
      {keys && keys.length > 1 && (
        <Select
          label="Key"
          data={keys.map((key) => ({ value: key.id, label: `${key.name} (${key.hint}, ${nameOf(key)})` }))}
          value={chosen?.id ?? null}
          onChange={(value) => setKeyId(value ?? undefined)}
          allowDeselect={false}
          maw={420}
        />
      )}
      {!chosen && (
        <WithReason reason={reason}>
          <Button
            leftSection={<IconKey size={16} aria-hidden />}
            loading={make.isRunning}
            disabled={reason !== undefined || !keys}
            onClick={() => void make.run()}
            w="fit-content"
          >
            Create widget key
          </Button>
        </WithReason>
      )}
      {reason && <Text>{reason}</Text>}
      <ProblemText problem={make.problem} />
      {chosen && (
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
              <Snippet label={label}>
                {code({ src: `${site.cdnUrl}/chatbot-widget.js`, publicKey: chosen.publicKey, botId: bot.id })}
              </Snippet>
            </Tabs.Panel>
          ))}
        </Tabs>
      )}
      <Text size="sm" c="dimmed">
        Rotate or revoke keys in <TextLink to="/developers/keys">Developers → Keys</TextLink>.
      </Text>
    </Section>
  );
}
