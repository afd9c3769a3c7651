import { Text } from '@mantine/core';
import { portalContext } from '@parley/portal-kit/context';
import { Section } from '@parley/portal-kit/ui';
import { useLoaderData, type LoaderFunctionArgs } from 'react-router';
import { useMe } from '../../parts/me.ts';
import { hasPermission } from '../../parts/rights.ts';
import { Answering, HandoffForm, RepliesForm } from './answering.tsx';
import { DraftSaveBar, useDraft } from './draft.tsx';
import { Preview } from '../../parts/preview.tsx';
import { useBot } from './bot-data.ts';
import { Wording } from './wording.tsx';

export async function loader({ context }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  // Plans without custom models use the default model.
  const { data } = await service.GET('/models', { params: { query: { limit: 100 } } });
  return { models: data?.data.map(({ id, name, model }) => ({ id, name, model })) ?? [], hasOwn: data !== undefined };
}

export default function Build() {
  const { models, hasOwn } = useLoaderData<typeof loader>();
  const { bot } = useBot();
  const draftEditor = useDraft();
  const previewDisabledReason = hasPermission(useMe(), 'bot.manage')
    ? bot.status !== 'active' && `The preview is off while the bot is ${bot.status}.`
    : 'Only owners, admins or developers can preview a draft.';
  return (
    <div className="beside">
      <div className="frames">
        <Wording draftEditor={draftEditor} />
        <Answering draftEditor={draftEditor} models={models} hasOwn={hasOwn} />
        <HandoffForm draftEditor={draftEditor} />
        <RepliesForm draftEditor={draftEditor} />
        <DraftSaveBar draftEditor={draftEditor} />
      </div>
      <div className="stays">
        <Section title="Preview" description="The chat as visitors see it, answering from your saved draft.">
          {previewDisabledReason ? (
            <Text>{previewDisabledReason}</Text>
          ) : (
            <Preview
              botId={bot.id}
              title={`Chat with the draft of ${bot.name}`}
              label={draftEditor.isChanged ? 'Without your unsaved changes' : 'Draft'}
              revision={draftEditor.revision}
              height={640}
            />
          )}
        </Section>
      </div>
    </div>
  );
}
