import { Button, Select, Tabs, Text } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import { ProblemText, Section, Snippet, TextLink, useAction, WithReason } from '@parley/portal-kit/ui';
import { IconKey } from '@tabler/icons-react';
import { useState } from 'react';
import { useLayoutData } from '../../parts/me.ts';
import { denialReason } from '../../parts/rights.ts';
import { createWidgetKey } from '../../parts/widget-key.ts';
import { platforms } from './platforms.ts';
import { liveOf, useBot } from './bot-data.ts';

export type WidgetKey = Schemas['ApiKey'] & { publicKey: string };

/** The embed snippet, including the full public key. */
export function EmbedCode({ keys }: { keys: WidgetKey[] | undefined }) {
  const { bot, environments, newest } = useBot();
  const { me, site } = useLayoutData();
  const [keyId, setKeyId] = useState(keys?.[0]?.id);
  const chosen = keys?.find(({ id }) => id === keyId) ?? keys?.[0];
  const reason = denialReason(me, 'api_key.manage', 'api_keys');
  const createKey = useAction(async () => {
    const { apiKey } = await createWidgetKey(bot, liveOf(environments)?.id ?? null);
    setKeyId(apiKey.id);
  });
  const nameOf = ({ environmentId }: WidgetKey) =>
    environments.find(({ id }) => id === environmentId)?.name ?? liveOf(environments)?.name;
  return (
    <Section
      title="Add to your website"
      description="One line on every page that should show the chat. Its key is public: it only opens chats with this bot, on the allowed sites below."
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
            loading={createKey.isRunning}
            disabled={reason !== undefined || !keys}
            onClick={() => void createKey.run()}
            w="fit-content"
          >
            Create widget key
          </Button>
        </WithReason>
      )}
      {reason && <Text>{reason}</Text>}
      <ProblemText problem={createKey.problem} />
      {chosen && (
        <Tabs defaultValue="html">
          <Tabs.List aria-label="Platform">
            {platforms.map(({ id, label }) => (
              <Tabs.Tab key={id} value={id}>
                {label}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {platforms.map(({ id, label, instructions, code }) => (
            <Tabs.Panel key={id} value={id} pt="sm">
              <Text mb="xs">{instructions}</Text>
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
