import { Alert, Box, Button, Group, Table, Text } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import { Section, Status, TextLink } from '@parley/portal-kit/ui';
import { IconCheck, IconExternalLink, IconMail, IconMinus } from '@tabler/icons-react';
import { useLoaderData, type LoaderFunctionArgs } from 'react-router';
import { useMe } from '../../parts/me.ts';
import { hasPermission, rolesWith } from '../../parts/rights.ts';
import { planName } from './parts/member-problems.ts';
import { features, limits } from './parts/plan-content.ts';

export const meta = () => [{ title: 'Plans · Parley' }];

export async function loader({ context, request }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  return read(await service.GET('/plans'), request);
}

/** What each plan includes, and how to get another one. */
export default function Plans() {
  const { plan: current, plans, upgradeUrl } = useLoaderData<typeof loader>();
  const names = Object.keys(plans) as (keyof typeof plans)[];
  return (
    <Section title="Compare plans" actions={<TextLink to="/organisation/plan">Plan and usage</TextLink>}>
      <HowToChange upgradeUrl={upgradeUrl} />
      <Box className="wide" role="region" aria-label="Plans" tabIndex={0}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Includes</Table.Th>
              {names.map((name) => (
                <Table.Th key={name} w="22%">
                  <Group gap="xs">
                    {planName(name)}
                    {name === current && <Status tone="good">Current plan</Status>}
                  </Group>
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {limits.map(([limit, title, format]) => (
              <Table.Tr key={limit}>
                <Table.Th scope="row" fw={500}>
                  {title}
                </Table.Th>
                {names.map((name) => (
                  <Table.Td key={name}>{format(plans[name][limit])}</Table.Td>
                ))}
              </Table.Tr>
            ))}
            {features.map(([feature, title, description]) => (
              <Table.Tr key={feature}>
                <Table.Th scope="row" fw={500}>
                  {title}
                  <Text size="sm" c="dimmed" fw={400}>
                    {description}
                  </Text>
                </Table.Th>
                {names.map((name) => (
                  <Table.Td key={name}>
                    <Included isIncluded={plans[name][feature] > 0} />
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Box>
    </Section>
  );
}

const Included = ({ isIncluded }: { isIncluded: boolean }) =>
  isIncluded ? (
    <IconCheck size={18} color="var(--good)" role="img" aria-label="Included" />
  ) : (
    <IconMinus size={18} color="var(--mantine-color-dimmed)" role="img" aria-label="Not included" />
  );

function HowToChange({ upgradeUrl }: { upgradeUrl: string | null }) {
  const me = useMe();
  if (!hasPermission(me, 'billing.manage'))
    return (
      <Alert variant="light" color="gray">
        Only {rolesWith('billing.manage')} can change the plan. Ask one of them.
      </Alert>
    );
  if (!upgradeUrl)
    return (
      <Alert variant="light" color="gray">
        To change your plan, ask the team that runs Parley for you. The change takes effect within 5 seconds.
      </Alert>
    );
  const isEmail = upgradeUrl.startsWith('mailto:');
  return (
    <Group gap="sm">
      <Button
        component="a"
        href={upgradeUrl}
        {...(!isEmail && { target: '_blank', rel: 'noreferrer' })}
        leftSection={isEmail ? <IconMail size={16} aria-hidden /> : <IconExternalLink size={16} aria-hidden />}
      >
        {isEmail ? 'Contact us to upgrade' : 'Upgrade'}
      </Button>
      {isEmail && <Text c="dimmed">{decodeURIComponent(upgradeUrl.slice('mailto:'.length).split('?')[0] ?? '')}</Text>}
    </Group>
  );
}
