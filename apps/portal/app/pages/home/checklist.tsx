import { Button, Group, Stack, Text, ThemeIcon } from '@mantine/core';
import { Section } from '@parley/portal-kit/ui';
import { IconCheck, IconCircleDashed } from '@tabler/icons-react';
import { Link } from 'react-router';
import type { SetupState } from '../../parts/setup-state.ts';

/** The way to the first live bot. */
export function Checklist({ setup: { steps, bot }, isAllowed }: { setup: SetupState; isAllowed: boolean }) {
  const lines = [
    { isDone: steps.isNamed, text: 'Name your bot and add your website' },
    { isDone: steps.hasKnowledge, text: 'Add knowledge from a web page, a file or text' },
    { isDone: steps.isPublished, text: 'Try and publish' },
    { isDone: steps.isInstalled, text: 'Add it to your website' },
  ];
  return (
    <Section title="Set up your bot">
      <Stack gap={6} component="ul" style={{ listStyle: 'none', padding: 0, margin: 0 }}>
        {lines.map(({ isDone, text }) => (
          <Group key={text} gap="xs" component="li" wrap="nowrap">
            <ThemeIcon
              size="sm"
              radius="xl"
              color={isDone ? 'teal' : 'gray'}
              variant={isDone ? 'filled' : 'light'}
              aria-hidden
            >
              {isDone ? <IconCheck size={14} /> : <IconCircleDashed size={14} />}
            </ThemeIcon>
            <Text>
              {text}
              {isDone ? ' (done)' : ''}
            </Text>
          </Group>
        ))}
      </Stack>
      {isAllowed ? (
        <Button component={Link} to={bot ? `/setup?bot=${bot.id}` : '/setup'} w="fit-content">
          {bot ? 'Continue' : 'Get started'}
        </Button>
      ) : (
        <Text c="dimmed">Ask an owner, admin or developer in your organisation to set up the bot.</Text>
      )}
    </Section>
  );
}
