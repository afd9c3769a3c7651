import { Button, Text } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import { api, call, Problem, ProblemText, Section, Status, TextLink, useAction } from '@parley/portal-kit/ui';
import { createWidgetKey } from '../../parts/widget-key.ts';

interface Props {
  bot: Schemas['Bot'];
  liveEnvironmentId: string | null;
  isPublished: boolean;
  keyId: string | null;
}

/** Publishes the draft as a version, deploys it, and creates the widget key for the snippet. */
export function PublishStep({ bot, liveEnvironmentId: environmentId, isPublished, keyId }: Props) {
  const publish = useAction(async () => {
    if (!environmentId)
      throw new Problem(0, { message: 'This workspace has no environment to publish to. Create one in Organisation.' });
    const params = { path: { id: bot.id } };
    const { version } = await call(api.POST('/bots/{id}/versions', { params, body: { notes: 'First version' } }));
    await call(api.POST('/bots/{id}/deployments', { params, body: { environmentId, versionId: version.id } }));
    if (!keyId) await createWidgetKey(bot, environmentId);
  });
  return (
    <Section title="Try and publish" actions={isPublished && <Status tone="good">Published</Status>}>
      {isPublished ? (
        <Text>
          Further changes stay in the draft until you publish again on the{' '}
          <TextLink to={`/bots/${bot.id}`}>Build</TextLink> page.
        </Text>
      ) : (
        <>
          <Text>
            Chat with the draft on the right. When you’re happy with its answers, publish it. Visitors see it once
            you’ve added it to your website.
          </Text>
          <ProblemText problem={publish.problem} />
          <Button onClick={() => void publish.run()} loading={publish.isRunning} w="fit-content">
            Publish
          </Button>
        </>
      )}
    </Section>
  );
}
