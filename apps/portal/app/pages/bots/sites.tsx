import { Text, Textarea } from '@mantine/core';
import { api, call, SaveBar, Section, useAction } from '@parley/portal-kit/ui';
import { useState } from 'react';
import { useMe } from '../../parts/me.ts';
import { denialReason } from '../../parts/rights.ts';
import { toLines } from './add-source.tsx';
import { originErrorOf, originOf } from './origins.ts';
import { useBot } from './bot-data.ts';

/** The websites allowed to embed the bot. Takes effect immediately, unlike the appearance. */
export function Sites() {
  const { bot } = useBot();
  const [text, setText] = useState(bot.allowedOrigins.join('\n'));
  const [errors, setErrors] = useState<string[]>([]);
  const reason = denialReason(useMe(), 'bot.manage');
  const save = useAction(
    async (allowedOrigins: string[]) => {
      await call(api.PATCH('/bots/{id}', { params: { path: { id: bot.id } }, body: { allowedOrigins } }));
      // Keeps what was typed meanwhile.
      setText((current) => (current === text ? allowedOrigins.join('\n') : current));
    },
    { success: 'Saved. The change is live.' },
  );
  const isChanged = toLines(text).join('\n') !== bot.allowedOrigins.join('\n');
  const check = () => {
    const origins = [...new Set(toLines(text).map(originOf))];
    const invalid = origins.flatMap((origin) => originErrorOf(origin) ?? []);
    const all =
      origins.length > 50 ? [...invalid, 'A bot can have up to 50 sites. Use *. to cover subdomains.'] : invalid;
    setErrors(all);
    if (all.length === 0) void save.run(origins);
  };
  return (
    <Section
      title="Allowed sites"
      description="The bot only runs on these sites. Changes take effect immediately, without publishing."
    >
      <Textarea
        label="Sites, one per line"
        description="For example https://example.com. https://*.example.com covers all its subdomains, but not example.com itself. To test on your own computer, add http://localhost:8080."
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        autosize
        minRows={3}
        maxRows={12}
        spellCheck={false}
        error={
          errors.length > 0 &&
          errors.map((error) => (
            <Text key={error} component="span" size="xs" display="block">
              {error}
            </Text>
          ))
        }
      />
      {text.trim() === '' && <Text c="var(--warn)">No sites allowed yet. The bot only appears in the preview.</Text>}
      <SaveBar
        isDirty={isChanged}
        onSave={check}
        onDiscard={() => {
          setText(bot.allowedOrigins.join('\n'));
          setErrors([]);
          save.clear();
        }}
        isSaving={save.isRunning}
        problem={save.problem}
        saveLabel="Save sites"
        reason={reason}
      />
    </Section>
  );
}
