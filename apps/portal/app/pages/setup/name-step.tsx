import { Button, Stack, TextInput } from '@mantine/core';
import { api, call, fieldsOf, Problem, ProblemText, Section, useAction } from '@parley/portal-kit/ui';
import type { FormEvent } from 'react';
import { faultOf, originOf } from '../bots/origins.ts';

/** A name and a site: all that a bot needs to exist. */
export function NameStep({ isAllowed, onMade }: { isAllowed: boolean; onMade(botId: string): void }) {
  const create = useAction(
    async (name: string, site: string) => {
      const origin = originOf(site);
      const fault = faultOf(origin);
      if (fault) throw new Problem(0, { message: fault });
      const draft = { title: name, greeting: `Hello! I am ${name}. What would you like to know?` };
      const { bot } = await call(api.POST('/bots', { body: { name, allowedOrigins: [origin], draft } }));
      onMade(bot.id);
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
      title="Name it"
      about="Visitors see the name above the chat. The site says where the bot may be shown; you can add more later."
    >
      <form onSubmit={send}>
        <Stack maw={460}>
          <TextInput
            name="name"
            label="Name of the bot"
            placeholder="Northlight help"
            required
            maxLength={60}
            data-autofocus
            autoFocus
          />
          <TextInput
            name="site"
            label="Your site"
            placeholder="example.com"
            description="Its address, as in the browser."
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
