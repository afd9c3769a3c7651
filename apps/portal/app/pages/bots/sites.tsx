import { Button, Group, Text, Textarea } from '@mantine/core';
import { Ago, api, call, ProblemText, Section, useAction, WithReason } from '@parley/portal-kit/ui';
import { useState } from 'react';
import { useMe } from '../../parts/me.ts';
import { whyNot } from '../../parts/rights.ts';
import { linesOf } from './add-source.tsx';
import { faultOf, originOf } from './origins.ts';
import { useBot } from './shape.ts';

interface Seen {
  origin: string;
  lastSeenAt?: string;
}

/** The sites that may show the bot. Takes effect immediately, unlike its appearance. */
export function Sites({ seen }: { seen: Seen[] }) {
  const { bot } = useBot();
  const [text, setText] = useState(bot.allowedOrigins.join('\n'));
  const [faults, setFaults] = useState<string[]>([]);
  const [isSaved, setSaved] = useState(false);
  const reason = whyNot(useMe(), 'bot.manage');
  const save = useAction(async (allowedOrigins: string[]) => {
    await call(api.PATCH('/bots/{id}', { params: { path: { id: bot.id } }, body: { allowedOrigins } }));
    setText(allowedOrigins.join('\n'));
    setSaved(true);
  });
  const isChanged = linesOf(text).join('\n') !== bot.allowedOrigins.join('\n');
  const check = () => {
    const origins = [...new Set(linesOf(text).map(originOf))];
    const wrong = origins.flatMap((origin) => faultOf(origin) ?? []);
    const all = origins.length > 50 ? [...wrong, 'A bot can have up to 50 sites. Use *. to cover subdomains.'] : wrong;
    setFaults(all);
    if (all.length === 0) void save.run(origins);
  };
  return (
    <Section
      title="Allowed sites"
      about="The bot only runs on these sites. Changes take effect immediately, without publishing."
    >
      <Textarea
        label="Sites, one per line"
        description="For example https://example.com. https://*.example.com covers all its subdomains, but not example.com itself. To test on your own computer, add http://localhost:8080."
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setSaved(false);
        }}
        autosize
        minRows={3}
        maxRows={12}
        spellCheck={false}
        error={
          faults.length > 0 &&
          faults.map((fault) => (
            <Text key={fault} component="span" size="xs" display="block">
              {fault}
            </Text>
          ))
        }
      />
      {text.trim() === '' && <Text c="var(--warn)">No sites allowed yet. The bot only appears in the preview.</Text>}
      <ProblemText problem={save.problem} />
      <Group gap="xs">
        <WithReason reason={reason}>
          <Button onClick={check} loading={save.isRunning} disabled={reason !== undefined || !isChanged}>
            Save sites
          </Button>
        </WithReason>
        <Text role="status" c="dimmed">
          {isSaved ? 'Saved. The change is live.' : isChanged ? 'Unsaved changes.' : ''}
        </Text>
      </Group>
      {seen.length > 0 && (
        <Text size="sm" c="dimmed">
          Installed on{' '}
          {seen.slice(0, 5).map(({ origin, lastSeenAt }, at) => (
            <span key={origin}>
              {at > 0 && ', '}
              {origin}
              {lastSeenAt && (
                <>
                  {' '}
                  (last seen <Ago at={lastSeenAt} />)
                </>
              )}
            </span>
          ))}
          .
        </Text>
      )}
    </Section>
  );
}
