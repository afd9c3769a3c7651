import { Group, Paper, Progress, SimpleGrid, Stack, Text } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import { Section, TextLink } from '@parley/portal-kit/ui';

const count = new Intl.NumberFormat('en');
const dollars = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' });

/** Today’s figures. Zero is a figure too, so they are always shown. */
export function Today({ total }: { total: Schemas['Insights']['total'] }) {
  const figures: [label: string, value: number][] = [
    ['Conversations today', total.conversations],
    ['Questions answered', total.answered],
    ['Questions unanswered', total.unanswered],
    ['Handed off', total.handedOff],
  ];
  return (
    <Stack gap={6} component="section" aria-label="Today">
      <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm">
        {figures.map(([label, value]) => (
          <Paper key={label} withBorder px="md" py="sm">
            <Text c="dimmed" size="sm">
              {label}
            </Text>
            <Text fz={28} fw={600} lh={1.2} style={{ fontVariantNumeric: 'tabular-nums' }}>
              {count.format(value)}
            </Text>
          </Paper>
        ))}
      </SimpleGrid>
      <TextLink to="/insights">View insights</TextLink>
    </Stack>
  );
}

interface Used {
  used: number;
  allowed: number;
}

export function Budget({ messages, spend }: { messages: Used; spend: Used }) {
  const isClose = [messages, spend].some((one) => percentOf(one) >= 80);
  return (
    <Section
      title="Budget"
      actions={
        <TextLink to={isClose ? '/organisation/plans' : '/organisation/plan'}>
          {isClose ? 'Upgrade' : 'Plan and usage'}
        </TextLink>
      }
    >
      <Bar label="Messages this month" amount={messages} format={count.format} />
      <Bar label="AI spend today" amount={spend} format={dollars.format} />
    </Section>
  );
}

const percentOf = ({ used, allowed }: Used) => (allowed > 0 ? Math.min(100, (100 * used) / allowed) : 100);

function Bar({ label, amount, format }: { label: string; amount: Used; format(value: number): string }) {
  const percent = percentOf(amount);
  return (
    <div>
      <Group justify="space-between">
        <Text>{label}</Text>
        <Text c="dimmed" style={{ fontVariantNumeric: 'tabular-nums' }}>
          {format(amount.used)} of {format(amount.allowed)}
          {percent >= 100 ? ', limit reached' : percent >= 80 ? ', close to the limit' : ''}
        </Text>
      </Group>
      <Progress value={percent} color={percent >= 100 ? 'red' : percent >= 80 ? 'orange' : 'teal'} aria-label={label} />
    </div>
  );
}
