import { FilterChips, LiveSearch, useChangedSearch } from '@parley/portal-kit/ui';
import { useNavigate, useSearchParams } from 'react-router';
import { useMe } from '../../parts/me.ts';
import { languageChoices } from '../bots/languages.ts';
import { channelLabels } from '../insights/labels.ts';
import { useAgents, useBots, useEnvironments, useTags, useTeams } from './choices.ts';
import { stateChoices } from './states.ts';
import classes from './conversations.module.css';

/** Conversations have no region. */
const languages = languageChoices([]).filter(({ value }) => !value.includes('-'));

/** In the URL, so that they can be shared and survive a reload. Results appear while typing. */
export function Filters({ contactName }: { contactName: string }) {
  const me = useMe();
  const [search] = useSearchParams();
  const [bots, environments, tags] = [useBots() ?? [], useEnvironments() ?? [], useTags() ?? []];
  const contactId = search.get('contactId');
  const [agents, teams] = [useAgents() ?? [], useTeams() ?? []];
  const changed = useChangedSearch();
  const navigate = useNavigate();
  return (
    <div className={classes['filters']}>
      <LiveSearch
        query={search.get('q') ?? ''}
        onSearch={(q) => void navigate(`/conversations?${changed({ q }).toString()}`, { replace: true })}
        aria-label="Search conversations"
        placeholder="Search messages, name, email or ID (/)"
      />
      <FilterChips
        maxShown={2} // one line next to the list
        filters={[
          { name: 'state', label: 'State', options: stateChoices },
          {
            name: 'assigneeId',
            label: 'Assignee',
            options: [
              { value: 'me', label: 'Me' },
              ...agents
                .filter(({ userId }) => userId !== me.actor.id)
                .map(({ userId, name }) => ({ value: userId, label: name })),
            ],
          },
          {
            name: 'channel',
            label: 'Channel',
            options: Object.entries(channelLabels).map(([value, label]) => ({ value, label })),
          },
          { name: 'language', label: 'Language', options: languages },
          {
            name: 'rating',
            label: 'Rating',
            options: ['1', '2', '3', '4', '5'].map((n) => ({ value: n, label: `${n} out of 5` })),
          },
          { name: 'includeTests', label: 'Tests', options: [{ value: 'true', label: 'Shown' }] },
          // Chosen on the contact's page.
          ...(contactId
            ? [{ name: 'contactId', label: 'Contact', options: [{ value: contactId, label: contactName }] }]
            : []),
          // Read after the page was shown, so they come last.
          ...(tags.length > 0 || search.has('tag')
            ? [{ name: 'tag', label: 'Tag', options: tags.map((tag) => ({ value: tag, label: tag })) }]
            : []),
          ...(teams.length > 0
            ? [{ name: 'teamId', label: 'Team', options: teams.map(({ id, name }) => ({ value: id, label: name })) }]
            : []),
          ...(bots.length > 1
            ? [{ name: 'botId', label: 'Bot', options: bots.map(({ id, name }) => ({ value: id, label: name })) }]
            : []),
          ...(environments.length > 1 ? [{ name: 'environmentId', label: 'Environment', options: environments }] : []),
        ]}
      />
    </div>
  );
}
