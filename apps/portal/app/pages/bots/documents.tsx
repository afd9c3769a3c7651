import { Anchor, Button, Group, SegmentedControl, Text } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import { Ago, Empty, Pager, Section, Status } from '@parley/portal-kit/ui';
import { Link, useSearchParams } from 'react-router';

const stateLabels = { ready: 'Synced', failed: 'Failed', waiting: 'Waiting' } as const;
const stateTones = { ready: 'good', failed: 'bad', waiting: 'idle' } as const;

interface DocumentsProps {
  documents: { data: Schemas['KnowledgeDocument'][]; nextCursor: string | null };
  /** The document whose chunks are shown. */
  selected: { id: string; data: Schemas['KnowledgeChunk'][]; nextCursor: string | null } | null;
}

export function Documents({ documents: { data, nextCursor }, selected }: DocumentsProps) {
  const [search, setSearch] = useSearchParams();
  const state = search.get('state') ?? 'all';
  const to = (documentId?: string) => {
    const next = new URLSearchParams(search);
    next.delete('after');
    if (documentId) next.set('document', documentId);
    else next.delete('document');
    return `?${next.toString()}`;
  };
  return (
    <Section
      title="Documents"
      description="The pages, files or questions in this source, and the excerpts they were split into."
    >
      <SegmentedControl
        w="fit-content"
        aria-label="Filter by status"
        value={state}
        data={[
          { value: 'all', label: 'All' },
          { value: 'ready', label: 'Synced' },
          { value: 'failed', label: 'Failed' },
        ]}
        onChange={(value) => setSearch(value === 'all' ? {} : { state: value }, { replace: true })}
      />
      {data.length === 0 ? (
        <Empty title={state === 'all' ? 'No documents yet' : 'No documents found'} drawing="document">
          {state === 'failed'
            ? 'No documents failed in the last sync.'
            : 'Synced documents and their excerpts appear here.'}
        </Empty>
      ) : (
        <ul className="rows">
          {data.map((document) => (
            <li key={document.id}>
              <Group justify="space-between" gap="xs">
                <Group gap="xs" miw={0}>
                  <Text fw={600}>{document.title || document.location}</Text>
                  <Status tone={stateTones[document.state]}>{stateLabels[document.state]}</Status>
                </Group>
                {document.state === 'ready' &&
                  (selected?.id === document.id ? (
                    <Anchor component={Link} to={to()} preventScrollReset>
                      Hide excerpts
                    </Anchor>
                  ) : (
                    <Anchor component={Link} to={to(document.id)} preventScrollReset>
                      Show excerpts
                    </Anchor>
                  ))}
              </Group>
              <Text size="sm" c="dimmed" className="chunk">
                {document.location.includes('://') && <>{document.location} · </>}
                <Ago at={document.fetchedAt} fallback="not synced yet" />
              </Text>
              {document.error && (
                <Text {...(document.state === 'failed' ? { c: 'var(--bad)' } : { size: 'sm' })}>
                  {document.error.message}
                </Text>
              )}
              {selected?.id === document.id && <Chunks selected={selected} />}
            </li>
          ))}
        </ul>
      )}
      {selected && data.every(({ id }) => id !== selected.id) && <Chunks selected={selected} />}
      <Pager nextCursor={nextCursor} />
    </Section>
  );
}

function Chunks({ selected: { data, nextCursor } }: { selected: NonNullable<DocumentsProps['selected']> }) {
  const [search] = useSearchParams();
  const nextParams = new URLSearchParams(search);
  if (nextCursor) nextParams.set('after', nextCursor);
  return (
    <>
      {data.length === 0 && <Text mt="xs">No excerpts here. The document may have been re-synced since.</Text>}
      <ol className="chunks" aria-label="Excerpts">
        {data.map(({ position, heading, text }) => (
          <li key={position}>
            <Text size="sm" fw={600}>
              {position + 1}. {heading || 'No heading'}
            </Text>
            <Text size="sm" className="chunk">
              {text}
            </Text>
          </li>
        ))}
      </ol>
      {nextCursor && (
        <Button component={Link} to={`?${nextParams.toString()}`} preventScrollReset variant="default" size="xs">
          Next excerpts
        </Button>
      )}
    </>
  );
}
