import { FilterChips, LiveSearch, useChangedSearch } from '@parley/portal-kit/ui';
import { useNavigate, useSearchParams } from 'react-router';
import { stateChoices } from './states.ts';
import classes from './conversations.module.css';

interface Props {
  bots: { id: string; name: string }[];
  environments: { value: string; label: string }[];
  tags: string[];
  agents: { userId: string; name: string }[];
  teams: { id: string; name: string }[];
}

/** In the URL, so that they can be shared and survive a reload. Results appear while typing. */
export function Filters({ bots, environments, tags, agents, teams }: Props) {
  const [search] = useSearchParams();
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
        filters={[
          { name: 'state', label: 'State', options: stateChoices },
          ...(bots.length > 1
            ? [{ name: 'botId', label: 'Bot', options: bots.map(({ id, name }) => ({ value: id, label: name })) }]
            : []),
          ...(environments.length > 1 ? [{ name: 'environmentId', label: 'Environment', options: environments }] : []),
          ...(agents.length > 1
            ? [
                {
                  name: 'assigneeId',
                  label: 'Assignee',
                  options: agents.map(({ userId, name }) => ({ value: userId, label: name })),
                },
              ]
            : []),
          ...(teams.length > 0
            ? [{ name: 'teamId', label: 'Team', options: teams.map(({ id, name }) => ({ value: id, label: name })) }]
            : []),
          ...(tags.length > 0 || search.has('tag')
            ? [{ name: 'tag', label: 'Tag', options: tags.map((tag) => ({ value: tag, label: tag })) }]
            : []),
          {
            name: 'rating',
            label: 'Rating',
            options: ['1', '2', '3', '4', '5'].map((n) => ({ value: n, label: `${n} out of 5` })),
          },
          { name: 'includeTests', label: 'Tests', options: [{ value: 'true', label: 'Shown' }] },
        ]}
      />
    </div>
  );
}
