import { Table, Text } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import { Ago, Empty, Pager, Rows, Section, TextLink } from '@parley/portal-kit/ui';
import { useSearchParams } from 'react-router';
import { number } from './labels.ts';

interface Props {
  unanswered: { data: Schemas['UnansweredQuestion'][]; nextCursor: string | null };
  bots: { id: string; name: string }[];
  /** By channel or language, which questions and sources are not recorded by. */
  isFiltered: boolean;
}

const ofAll = (isFiltered: boolean) => (isFiltered ? ' Of all channels and languages.' : '');

/** What to add to the knowledge. */
export function Questions({ unanswered: { data, nextCursor }, bots, isFiltered }: Props) {
  const [search] = useSearchParams();
  return (
    <Section
      title="Unanswered questions"
      description={`Identical questions are grouped, most frequent first. Add what’s missing to your bot’s knowledge.${ofAll(isFiltered)}`}
    >
      {data.length === 0 ? (
        <Empty title={search.has('cursor') ? 'No more questions' : 'No unanswered questions'} drawing="chart">
          Questions your bots couldn’t answer in this period appear here.
        </Empty>
      ) : (
        <Rows
          label="Question list"
          columns={[
            'Question',
            { label: 'Times asked', align: 'right' },
            { label: 'Last asked', align: 'right' },
            'Bot',
          ]}
        >
          {data.map(({ question, times, lastAskedAt, conversationId, botId }) => (
            <Table.Tr key={botId + question}>
              <Table.Td>
                <TextLink to={`/conversations/${conversationId}`}>{question}</TextLink>
              </Table.Td>
              <Table.Td>{number(times)}</Table.Td>
              <Table.Td>
                <Ago at={lastAskedAt} />
              </Table.Td>
              <Table.Td>
                <TextLink to={`/bots/${botId}/knowledge`}>
                  {bots.find(({ id }) => id === botId)?.name ?? 'Bot'}
                </TextLink>
              </Table.Td>
            </Table.Tr>
          ))}
        </Rows>
      )}
      <Pager nextCursor={nextCursor} />
    </Section>
  );
}

interface SourcesProps {
  sources: Schemas['Insights']['topSources'];
  isFiltered: boolean;
}

export const Sources = ({ sources, isFiltered }: SourcesProps) => (
  <Section title="Most cited sources" description={`Number of answers that cite each source.${ofAll(isFiltered)}`}>
    {sources.length === 0 ? (
      <Text c="dimmed">No sources were cited in this period.</Text>
    ) : (
      <Rows label="Source list" columns={['Source', { label: 'Answers', align: 'right' }]} minWidth={240}>
        {sources.map(({ sourceId, name, citations }) => (
          <Table.Tr key={sourceId}>
            <Table.Td>{name}</Table.Td>
            <Table.Td>{number(citations)}</Table.Td>
          </Table.Tr>
        ))}
      </Rows>
    )}
  </Section>
);
