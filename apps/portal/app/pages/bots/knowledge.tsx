import { Button, Group, Text } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import { Empty, keepLast, Pager, Section, useNow, usePolling, WithReason } from '@parley/portal-kit/ui';
import {
  IconFileDescription,
  IconFileText,
  IconFileUpload,
  IconMessageQuestion,
  IconSitemap,
  IconWorldWww,
} from '@tabler/icons-react';
import { useState } from 'react';
import { useLoaderData, type LoaderFunctionArgs } from 'react-router';
import { useMe } from '../../parts/me.ts';
import { denialReason } from '../../parts/rights.ts';
import { AddSource } from './add-source.tsx';
import { AskBox } from './ask-box.tsx';
import { useBot, type Source } from './bot-data.ts';
import { SourceRow } from './source-row.tsx';
import { isInProgress } from './source-labels.ts';
import { StorageUsed } from './storage-used.tsx';

export const meta = () => [{ title: 'Knowledge · Parley' }];

export async function loader({ context, request, params }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const cursor = new URL(request.url).searchParams.get('cursor') ?? undefined;
  const path = { botId: params['botId'] ?? '' };
  const response = await service.GET('/bots/{botId}/knowledge-sources', {
    params: { path, query: { limit: 25, ...(cursor && { cursor }) } },
  });
  // If the plan has no knowledge, the page says so instead of failing.
  if (response.response.status === 403) return { sources: [], nextCursor: null, storage: undefined, isMissing: true };
  const { data, nextCursor, storage } = read(response, request);
  return { sources: data, nextCursor, storage, isMissing: false };
}

export const clientLoader = keepLast<typeof loader>();

const kinds = [
  { kind: 'site', label: 'Website', icon: IconWorldWww },
  { kind: 'url', label: 'Web page', icon: IconFileDescription },
  { kind: 'sitemap', label: 'Sitemap', icon: IconSitemap },
  { kind: 'file', label: 'Files', icon: IconFileUpload },
  { kind: 'text', label: 'Text', icon: IconFileText },
  { kind: 'qa', label: 'Questions and answers', icon: IconMessageQuestion },
] as const;

export default function Knowledge() {
  const { sources, nextCursor, storage, isMissing } = useLoaderData<typeof loader>();
  const { bot } = useBot();
  const [adding, setAdding] = useState<Source['kind']>();
  const me = useMe();
  const reason =
    denialReason(me, 'knowledge.manage', 'knowledge') ??
    (isMissing ? 'Your role or plan doesn’t include this.' : undefined);
  const now = useNow(30_000);
  usePolling(2_000, now !== undefined && sources.some((source) => isInProgress(source, now)));
  return (
    <>
      <Section
        title="Add knowledge"
        description="Your bot answers from these sources. New sources take effect the next time you publish."
      >
        <WithReason reason={reason}>
          <Group gap="xs">
            {kinds.map(({ kind, label, icon: Icon }) => (
              <Button
                key={kind}
                variant="default"
                leftSection={<Icon size={16} aria-hidden />}
                disabled={reason !== undefined}
                onClick={() => setAdding(kind)}
              >
                {label}
              </Button>
            ))}
          </Group>
        </WithReason>
        {reason && <Text>{reason}</Text>}
      </Section>
      <Section title="Sources">
        {storage && <StorageUsed {...storage} />}
        {sources.length === 0 ? (
          <Empty title="No sources yet" drawing="document">
            A source is a website, file or text that your bot answers from. Start with the pages that cover your
            visitors’ most common questions.
          </Empty>
        ) : (
          <ul className="rows">
            {sources.map((source) => (
              <SourceRow key={source.id} source={source} to={`/bots/${bot.id}/knowledge/${source.id}`} />
            ))}
          </ul>
        )}
        <Pager nextCursor={nextCursor} />
      </Section>
      {sources.length > 0 && <AskBox botId={bot.id} />}
      <AddSource botId={bot.id} kind={adding} onClose={() => setAdding(undefined)} />
    </>
  );
}
