import { SegmentedControl, Table } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import { Rows, Section } from '@parley/portal-kit/ui';
import { useState } from 'react';
import { channelLabels, duration, languageLabel, number, percent, type OutcomeFigures } from './labels.ts';

interface Props {
  outcomes: Pick<Schemas['Outcomes'], 'bots' | 'channels' | 'languages'>;
  bots: { id: string; name: string }[];
}

const groups = ['Bot', 'Channel', 'Language'];

/** The same figures for each bot, channel or language. */
export function Breakdown({ outcomes, bots }: Props) {
  const [group, setGroup] = useState('Bot');
  const rows: Record<string, { name: string; figures: OutcomeFigures }[]> = {
    Bot: outcomes.bots.map((figures) => ({
      name: bots.find(({ id }) => id === figures.botId)?.name ?? 'Deleted bot',
      figures,
    })),
    Channel: outcomes.channels.map((figures) => ({ name: channelLabels[figures.channel] ?? figures.channel, figures })),
    Language: outcomes.languages.map((figures) => ({ name: languageLabel(figures.language), figures })),
  };
  return (
    <Section
      title="Breakdown"
      actions={
        <SegmentedControl size="xs" data={groups} value={group} onChange={setGroup} aria-label="Break down by" />
      }
    >
      <Rows
        label={`Figures by ${group.toLowerCase()}`}
        minWidth={760}
        columns={[
          group,
          ...['Conversations', 'Resolved', 'Handed off', 'Abandoned', 'CSAT', 'First response'].map((label) => ({
            label,
            align: 'right' as const,
          })),
        ]}
      >
        {rows[group]?.map(({ name, figures }, n) => (
          <Table.Tr key={`${name}${n}`}>
            <Table.Td>{name}</Table.Td>
            <Table.Td>{number(figures.conversations)}</Table.Td>
            <Table.Td>{percent(figures.resolutionRate)}</Table.Td>
            <Table.Td>{number(figures.handedOff)}</Table.Td>
            <Table.Td>{number(figures.abandoned)}</Table.Td>
            <Table.Td>{percent(figures.csat.score)}</Table.Td>
            <Table.Td>{duration(figures.firstResponse.p50)}</Table.Td>
          </Table.Tr>
        ))}
      </Rows>
    </Section>
  );
}
