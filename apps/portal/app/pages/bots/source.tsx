import { Button, Text } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import {
  ConfirmByName,
  DetailColumns,
  keepLast,
  ProblemText,
  Section,
  Status,
  SubHeader,
  useNow,
  usePolling,
  WithReason,
} from '@parley/portal-kit/ui';
import { IconRefresh, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useLoaderData, useNavigate, type LoaderFunctionArgs } from 'react-router';
import { useMe } from '../../parts/me.ts';
import { denialReason } from '../../parts/rights.ts';
import { Documents } from './documents.tsx';
import { useBot } from './bot-data.ts';
import { SourceContentForm } from './source-content.tsx';
import { DeletionEffects, SyncProgress, useSource } from './source-row.tsx';
import { isInProgress, kindLabels, stateOf } from './source-labels.ts';

export const meta = ({ data }: { data?: { source: { name: string } } }) => [
  { title: `${data?.source.name ?? 'Source'} · Parley` },
];

const states = ['ready', 'failed', 'waiting'] as const;

export async function loader({ context, request, params }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const { searchParams } = new URL(request.url);
  const id = params['sourceId'] ?? '';
  const state = states.find((value) => value === searchParams.get('state'));
  const [cursor, documentId, after] = ['cursor', 'document', 'after'].map(
    (name) => searchParams.get(name) ?? undefined,
  );
  const [sourceResponse, documents, chunks] = await Promise.all([
    service.GET('/knowledge-sources/{id}', { params: { path: { id } } }),
    service.GET('/knowledge-sources/{id}/documents', {
      params: { path: { id }, query: { limit: 25, ...(cursor && { cursor }), ...(state && { state }) } },
    }),
    documentId
      ? service.GET('/knowledge-documents/{id}/chunks', {
          params: { path: { id: documentId }, query: { limit: 25, ...(after && { cursor: after }) } },
        })
      : undefined,
  ]);
  // The document may have been deleted since the link was created.
  const chunksPage = chunks?.response.status === 404 ? undefined : chunks && read(chunks, request);
  return {
    ...read(sourceResponse, request),
    documents: read(documents, request),
    selected: documentId ? { id: documentId, ...(chunksPage ?? { data: [], nextCursor: null }) } : null,
  };
}

export const clientLoader = keepLast<typeof loader>();

export default function SourcePage() {
  const { source, content, documents, selected } = useLoaderData<typeof loader>();
  const { bot } = useBot();
  const navigate = useNavigate();
  const knowledgePath = `/bots/${bot.id}/knowledge`;
  const { sync, remove } = useSource(source.id, () => navigate(knowledgePath));
  const [isDeleting, setDeleting] = useState(false);
  const reason = denialReason(useMe(), 'knowledge.manage', 'knowledge');
  const { tone, label } = stateOf(source);
  const isSyncing = source.sync.state === 'syncing' || source.sync.state === 'waiting';
  const now = useNow(30_000);
  usePolling(2_000, now !== undefined && isInProgress(source, now));
  return (
    <>
      <SubHeader
        title={source.name}
        breadcrumb={[{ to: knowledgePath, label: 'All sources' }]}
        state={<Status tone={tone}>{label}</Status>}
        actions={
          <>
            <WithReason reason={reason}>
              <Button
                variant="outline"
                color="red"
                size="xs"
                leftSection={<IconTrash size={14} aria-hidden />}
                disabled={reason !== undefined}
                onClick={() => setDeleting(true)}
              >
                Delete…
              </Button>
            </WithReason>
            <WithReason reason={reason}>
              <Button
                size="xs"
                leftSection={<IconRefresh size={14} aria-hidden />}
                disabled={reason !== undefined || isSyncing}
                loading={sync.isRunning}
                onClick={() => void sync.run()}
              >
                Re-sync
              </Button>
            </WithReason>
          </>
        }
      />
      <ProblemText problem={sync.problem} />
      <DetailColumns
        facts={
          <Section title="Sync">
            <Text c="dimmed">{kindLabels[source.kind]}</Text>
            <SyncProgress source={source} />
          </Section>
        }
      >
        <Documents documents={documents} selected={selected} />
        <SourceContentForm key={source.id} source={source} content={content} />
      </DetailColumns>
      <ConfirmByName
        isOpen={isDeleting}
        title="Delete this source?"
        name={source.name}
        confirmLabel="Delete source"
        isRunning={remove.isRunning}
        problem={remove.problem}
        onConfirm={() => void remove.run()}
        onClose={() => setDeleting(false)}
      >
        <DeletionEffects name={source.name} />
      </ConfirmByName>
    </>
  );
}
