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

/** The sites that may show the bot. Acts at once, unlike its looks. */
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
    const all = origins.length > 50 ? [...wrong, 'A bot has room for 50 sites. Use *. for sub-domains.'] : wrong;
    setFaults(all);
    if (all.length === 0) void save.run(origins);
  };
  return (
    <Section
      title="Allowed sites"
      about="Only pages of these sites can show the bot. This acts at once, without publishing."
    >
      <Textarea
        label="Sites, one per line"
        description="Like https://example.com. https://*.example.com stands for all its sub-domains, but not for example.com itself. For trying it on your own machine: http://localhost:8080."
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
      {text.trim() === '' && (
        <Text c="var(--warn)">No site is allowed: the bot appears nowhere but in the preview.</Text>
      )}
      <ProblemText problem={save.problem} />
      <Group gap="xs">
        <WithReason reason={reason}>
          <Button onClick={check} loading={save.isRunning} disabled={reason !== undefined || !isChanged}>
            Save sites
          </Button>
        </WithReason>
        <Text role="status" c="dimmed">
          {isSaved ? 'Saved. It acts at once.' : isChanged ? 'Not saved yet.' : ''}
        </Text>
      </Group>
      {seen.length > 0 && (
        <Text size="sm" c="dimmed">
          Seen on{' '}
          {seen.slice(0, 5).map(({ origin, lastSeenAt }, at) => (
            <span key={origin}>
              {at > 0 && ', '}
              {origin}
              {lastSeenAt && (
                <>
                  {' '}
                  (<Ago at={lastSeenAt} />)
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
