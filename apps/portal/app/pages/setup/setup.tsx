import { Grid, Stack, Stepper, Text } from '@mantine/core';
import { portalContext } from '@parley/portal-kit/context';
import { keepLast, Page, Section, usePolling } from '@parley/portal-kit/ui';
import { useLoaderData, useSearchParams, type LoaderFunctionArgs } from 'react-router';
import { useMe } from '../../parts/me.ts';
import { denialReason } from '../../parts/rights.ts';
import { readAnswerChoice, readSetup } from '../../parts/setup-state.ts';
import { Preview } from '../../parts/preview.tsx';
import { AnswersStep, ChosenAnswers } from './answers-step.tsx';
import { NameStep } from './name-step.tsx';
import { PublishStep } from './publish-step.tsx';
import { SnippetStep } from './snippet-step.tsx';
import { KnowledgeStep } from './knowledge-step.tsx';

export const meta = () => [{ title: 'Set up your bot · Parley' }];

export async function loader({ context, request }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const searchParams = new URL(request.url).searchParams;
  const isNew = searchParams.has('new');
  if (isNew) return { setup: null, choice: null };
  const setup = await readSetup(service, request, searchParams.get('bot') ?? undefined);
  return { setup, choice: await readAnswerChoice(service, setup) };
}

export const clientLoader = keepLast<typeof loader>();

/** Guided setup. Each step is derived from existing data, so that setup can be resumed at any time. */
export default function Setup() {
  const { setup, choice } = useLoaderData<typeof loader>();
  const [, setSearch] = useSearchParams();
  const reason = denialReason(useMe(), 'bot.manage');
  const { bot, sources = [], steps, installs = [] } = setup ?? {};
  const isSyncing = sources.some(({ sync }) => sync.state === 'waiting' || sync.state === 'syncing');
  usePolling(2_000, isSyncing || (steps?.isPublished === true && !steps.isInstalled));
  const active = !bot ? 0 : !steps?.hasKnowledge ? 1 : !steps.isPublished ? 2 : steps.isInstalled ? 4 : 3;

  return (
    <Page
      title="Set up your bot"
      description="Four steps to a bot on your website. You can leave at any time and continue later."
    >
      {reason && <Text role="note">{reason}</Text>}
      <Stepper
        active={active}
        size="sm"
        aria-label="Steps"
        orientation="horizontal"
        visibleFrom="sm"
        allowNextStepsSelect={false}
      >
        {['Name', 'Knowledge', 'Try and publish', 'Add to your website'].map((label) => (
          <Stepper.Step key={label} label={label} />
        ))}
      </Stepper>
      <Text hiddenFrom="sm" c="dimmed">
        Step {Math.min(active + 1, 4)} of 4
      </Text>
      {!bot ? (
        <NameStep isAllowed={!reason} onCreated={(id) => setSearch({ bot: id })} />
      ) : (
        <Grid gap="md">
          <Grid.Col span={{ base: 12, md: 7 }}>
            <Stack>
              <KnowledgeStep botId={bot.id} sources={sources} isOpen={active === 1} />
              {choice && <AnswersStep key={bot.id} bot={bot} choice={choice} />}
              {steps?.hasKnowledge && steps.isPublished && <ChosenAnswers bot={bot} />}
              {steps?.hasKnowledge && (
                <PublishStep
                  bot={bot}
                  liveEnvironmentId={setup?.liveEnvironmentId ?? null}
                  isPublished={steps.isPublished}
                  keyId={setup?.key?.id ?? null}
                />
              )}
              {steps?.isPublished && (
                <SnippetStep
                  bot={bot}
                  widgetKey={setup?.key ?? null}
                  environmentId={setup?.liveEnvironmentId ?? null}
                  installs={installs}
                />
              )}
            </Stack>
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 5 }}>
            <Section title="Preview">
              {steps?.hasKnowledge ? (
                <Preview
                  botId={bot.id}
                  title="Chat with the draft"
                  label="What your visitors will see"
                  revision={`${bot.revision}-${sources.reduce((all, { chunks }) => all + chunks, 0)}`}
                  height={560}
                />
              ) : (
                <Text c="dimmed">Once you’ve added knowledge, you can chat with your bot here.</Text>
              )}
            </Section>
          </Grid.Col>
        </Grid>
      )}
    </Page>
  );
}
