import { Button, Text } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import { api, call, Problem, ProblemText, Section, Status, TextLink, useAction } from '@parley/portal-kit/ui';
import { makeWidgetKey } from '../../parts/widget-key.ts';

interface Props {
  bot: Schemas['Bot'];
  liveEnvironmentId: string | null;
  isPublished: boolean;
  keyId: string | null;
  /** A key was made: the snippet need not ask for it. */
  onKey(secret: string): void;
}

/** Freezes the draft, makes it the one that answers, and makes the key that pages open it with. */
export function PublishStep({ bot, liveEnvironmentId: environmentId, isPublished, keyId, onKey }: Props) {
  const publish = useAction(async () => {
    if (!environmentId) throw new Problem(0, { message: 'The workspace has no environment to publish to.' });
    const params = { path: { id: bot.id } };
    const { version } = await call(api.POST('/bots/{id}/versions', { params, body: { notes: 'First version' } }));
    await call(api.POST('/bots/{id}/deployments', { params, body: { environmentId, versionId: version.id } }));
    if (!keyId) onKey((await makeWidgetKey(bot, environmentId)).secret);
  });
  return (
    <Section title="Try and publish" actions={isPublished && <Status tone="good">Published</Status>}>
      {isPublished ? (
        <Text>
          What you change from now on stays a draft until you publish again, under{' '}
          <TextLink to={`/bots/${bot.id}`}>Build</TextLink>.
        </Text>
      ) : (
        <>
          <Text>
            Ask the draft something. When you like its answers, publish it: nobody sees it before it is also on your
            page.
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
