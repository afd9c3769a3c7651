import { Button, Stack, TextInput } from '@mantine/core';
import { api, call, fieldsOf, Problem, ProblemText, Section, useAction } from '@parley/portal-kit/ui';
import type { FormEvent } from 'react';
import { originErrorOf, originOf } from '../bots/origins.ts';

/** A name and a website, the minimum for a bot. */
export function NameStep({ isAllowed, onCreated }: { isAllowed: boolean; onCreated(botId: string): void }) {
  const create = useAction(
    async (name: string, site: string) => {
      const origin = originOf(site);
      const originError = originErrorOf(origin);
      if (originError) throw new Problem(0, { message: originError });
      const draft = { title: name, greeting: `Hi! I’m ${name}. How can I help?` };
      const { bot } = await call(api.POST('/bots', { body: { name, allowedOrigins: [origin], draft } }));
      onCreated(bot.id);
    },
    { isQuiet: true },
  );
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const { name = '', site = '' } = fieldsOf(event.currentTarget);
    void create.run(name, site);
  };
  return (
    <Section
      title="Name your bot"
      description="Visitors see this name at the top of the chat. The bot only runs on the website you enter; you can add more later."
    >
      <form onSubmit={send}>
        <Stack maw={460}>
          <TextInput
            name="name"
            label="Bot name"
            placeholder="Northlight help"
            required
            maxLength={60}
            // oxlint-disable-next-line jsx-a11y/no-autofocus -- the page changed on a click, so that nothing has the focus
            autoFocus
          />
          <TextInput
            name="site"
            label="Your website"
            placeholder="example.com"
            description="The domain visitors see in their browser."
            required
            maxLength={250}
          />
          <ProblemText problem={create.problem} />
          <Button type="submit" loading={create.isRunning} disabled={!isAllowed} w="fit-content">
            Create bot
          </Button>
        </Stack>
      </form>
    </Section>
  );
}
