import { List, Text } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import { Ago, Section, Status, TextLink } from '@parley/portal-kit/ui';
import { statusLabels } from '../developers/parts/webhook-labels.ts';

type Conversation = Pick<Schemas['ConversationRow'], 'id' | 'person' | 'visitorPreview' | 'waitingSince'>;
type Question = Pick<Schemas['UnansweredQuestion'], 'question' | 'times' | 'conversationId'>;
type Endpoint = Pick<Schemas['Webhook'], 'id' | 'url' | 'status'>;

export const Waiting = ({ conversations }: { conversations: Conversation[] }) => (
  <Section title="Waiting for an agent" actions={<TextLink to="/conversations?view=waiting">View all</TextLink>}>
    <List listStyleType="none" spacing={4}>
      {conversations.map(({ id, person, visitorPreview, waitingSince }) => (
        <List.Item key={id}>
          <TextLink to={`/conversations/${id}?view=waiting`}>{person.name}</TextLink>{' '}
          <Text span c="dimmed">
            <Ago at={waitingSince} />
          </Text>
          <Text lineClamp={1}>{visitorPreview}</Text>
        </List.Item>
      ))}
    </List>
  </Section>
);

export const Unanswered = ({ questions }: { questions: Question[] }) => (
  <Section
    title="Unanswered questions"
    description="From the last 7 days, most frequent first. Add knowledge to close the gaps."
  >
    <List spacing={4}>
      {questions.map(({ question, times, conversationId }) => (
        <List.Item key={question}>
          {conversationId ? <TextLink to={`/conversations/${conversationId}`}>{question}</TextLink> : question}{' '}
          <Text span c="dimmed">
            ({times === 1 ? 'once' : `${times} times`})
          </Text>
        </List.Item>
      ))}
    </List>
  </Section>
);

export const FailingEndpoints = ({ endpoints }: { endpoints: Endpoint[] }) => (
  <Section
    title="Failing endpoints"
    description="We keep their events for 30 days and deliver them once the endpoint recovers."
  >
    <List listStyleType="none" spacing={4}>
      {endpoints.map(({ id, url, status }) => (
        <List.Item key={id}>
          <Status tone={statusLabels[status].tone}>{statusLabels[status].label}</Status>{' '}
          <TextLink to={`/developers/webhooks/${id}`}>{url}</TextLink>
        </List.Item>
      ))}
    </List>
  </Section>
);
