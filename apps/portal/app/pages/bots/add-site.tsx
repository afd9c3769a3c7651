import { Alert, Button, Checkbox, Group, Loader, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import { api, call, fieldsOf, ProblemText, useAction } from '@parley/portal-kit/ui';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useState, type FormEvent } from 'react';
import { durationOf, pluralize, scheduleChoices, type Schedule } from './source-labels.ts';
import { shortOf, toUrl } from './source-url.ts';

type Plan = Schemas['CrawlPlan'];

interface Props {
  botId: string;
  onAdded(): void;
  onCancel?: (() => void) | undefined;
}

/** A website by one URL: first what a crawl would find there, then the crawl. */
export function SiteForm({ botId, onAdded, onCancel }: Props) {
  const [plan, setPlan] = useState<Plan>();
  const [isOnlyFolder, setOnlyFolder] = useState(true);
  const find = useAction(
    async (url: string, isOnly: boolean) => {
      const params = { path: { id: botId } };
      const body = { url, depth: 3, include: isOnly ? folderOf(url) : [], exclude: [] };
      setPlan((await call(api.POST('/bots/{id}/crawl-plan', { params, body }))).plan);
    },
    { isQuiet: true },
  );
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    void find.run(toUrl(fieldsOf(event.currentTarget)['url'] ?? ''), isOnlyFolder);
  };
  const isUsable = plan !== undefined && plan.pages.found > 0;
  return (
    <Stack>
      <form onSubmit={send}>
        <Stack>
          <TextInput
            name="url"
            label="URL"
            placeholder="example.com/help"
            description="The page to start from. You see which pages are found before they’re added."
            inputMode="url"
            autoComplete="off"
            required
            data-autofocus
            onChange={() => setPlan(undefined)}
          />
          <ProblemText problem={find.problem} />
          {!isUsable && (
            <Group gap="xs">
              <Button type="submit" loading={find.isRunning}>
                Find pages
              </Button>
              {onCancel && (
                <Button variant="default" onClick={onCancel}>
                  Cancel
                </Button>
              )}
            </Group>
          )}
        </Stack>
      </form>
      <div role="status">
        {find.isRunning && (
          <Group gap="xs" wrap="nowrap">
            <Loader size="xs" aria-hidden />
            <Text>Reading robots.txt, the sitemap and the start page. This takes up to 20 seconds.</Text>
          </Group>
        )}
        {plan?.problem && (
          <Alert color={isUsable ? 'orange' : 'red'} icon={<IconAlertTriangle size={18} aria-hidden />} py="xs">
            {isUsable && 'The start page itself can’t be used. '}
            {plan.problem.message}
          </Alert>
        )}
        {isUsable && <PlanSummary plan={plan} />}
      </div>
      {isUsable &&
        folderOf(plan.url).map((folder) => (
          <Checkbox
            key={folder}
            label={`Only pages under ${folder}`}
            checked={isOnlyFolder}
            disabled={find.isRunning}
            onChange={({ currentTarget: { checked } }) => {
              setOnlyFolder(checked);
              void find.run(plan.url, checked);
            }}
          />
        ))}
      {isUsable && (
        <PlanForm
          key={plan.url}
          botId={botId}
          plan={plan}
          include={isOnlyFolder ? folderOf(plan.url) : []}
          onAdded={onAdded}
          onCancel={onCancel}
        />
      )}
    </Stack>
  );
}

function PlanSummary({ plan: { pages, sitemaps, crawlDelaySeconds, secondsExpected } }: { plan: Plan }) {
  const count = `${pages.isLimited ? 'more than ' : ''}${pluralize(pages.found, 'page')}`;
  return (
    <>
      <Text fw={600}>
        Found {count}. Syncing takes about {durationOf(secondsExpected)}.
      </Text>
      <Text size="sm" c="dimmed">
        {sitemaps.length > 0
          ? 'From the site’s sitemap and the links on the start page.'
          : 'From the links on the start page; the site has no sitemap.'}{' '}
        Links on these pages are followed too, so more may be found.
        {crawlDelaySeconds > 0 &&
          ` The site’s robots.txt requires a pause of ${pluralize(crawlDelaySeconds, 'second')} between pages.`}
        {pages.isLimited && ' A source can have 2,000 pages: leave out what visitors don’t ask about.'}
      </Text>
    </>
  );
}

const depthChoices = [
  { value: '1', label: 'Pages linked on the start page' },
  { value: '2', label: 'Up to 2 links away' },
  { value: '3', label: 'Up to 3 links away' },
  { value: '5', label: 'Up to 5 links away' },
  { value: '10', label: 'Up to 10 links away' },
];

function PlanForm({ botId, plan, include, onAdded, onCancel }: Props & { plan: Plan; include: string[] }) {
  const [excluded, setExcluded] = useState<string[]>([]);
  const [depth, setDepth] = useState('3');
  const [schedule, setSchedule] = useState<Schedule>('weekly');
  const common = { name: shortOf(plan.url), schedule, language: null, url: plan.url };
  const create = useAction(async (isWhole: boolean) => {
    const body = isWhole
      ? { ...common, kind: 'site' as const, depth: Number(depth), include, exclude: excluded }
      : { ...common, kind: 'url' as const };
    await call(api.POST('/bots/{botId}/knowledge-sources', { params: { path: { botId } }, body }));
    onAdded();
  });
  const sections = plan.sections.filter(({ path, isIncluded }) => path !== '/' && isIncluded);
  return (
    <Stack>
      {sections.length > 1 && (
        <Checkbox.Group
          label="Parts of the site"
          description="Clear the parts that visitors don’t ask about, such as a blog or a shop’s product pages."
          value={sections.map(({ path }) => path).filter((path) => !excluded.includes(path))}
          onChange={(kept) => setExcluded(sections.map(({ path }) => path).filter((path) => !kept.includes(path)))}
        >
          <Stack gap="xs" mt="xs">
            {sections.map(({ path, pages }) => (
              <Checkbox key={path} value={path} label={`${path} (${pluralize(pages, 'page')})`} />
            ))}
          </Stack>
        </Checkbox.Group>
      )}
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Select
          label="Follow links"
          data={depthChoices}
          value={depth}
          onChange={(value) => setDepth(value ?? '3')}
          allowDeselect={false}
        />
        <Select
          label="Sync schedule"
          data={scheduleChoices}
          value={schedule}
          onChange={(value) => setSchedule((value ?? 'none') as Schedule)}
          allowDeselect={false}
        />
      </SimpleGrid>
      <ProblemText problem={create.problem} />
      <Group gap="xs">
        <Button onClick={() => void create.run(true)} loading={create.isRunning}>
          Add website
        </Button>
        <Button variant="default" onClick={() => void create.run(false)} disabled={create.isRunning}>
          Add only this page
        </Button>
        {onCancel && (
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
        )}
      </Group>
    </Stack>
  );
}

/** The folder of the start page as a filter; none if it is the whole site. */
function folderOf(url: string): string[] {
  if (!URL.canParse(url)) return []; // the API says what is wrong
  const { pathname } = new URL(url);
  const folder = pathname.endsWith('/') ? pathname : `${pathname}/`;
  return folder === '/' || /\.\w{2,5}\/$/.test(folder) ? [] : [folder];
}
