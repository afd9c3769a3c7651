import { Group, Stack, Text } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import { Ago, Pager, Section, TextLink } from '@parley/portal-kit/ui';

interface Props {
  comments: { data: Schemas['RatingComment'][]; nextCursor: string | null };
}

/** The parameter in the URL: the page has another list, of questions. */
export const commentsCursor = 'commentsCursor';

/** What visitors wrote with their rating, newest first. */
export const Comments = ({ comments: { data, nextCursor } }: Props) => (
  <Section title="Comments" description="What visitors wrote with their rating, newest first.">
    {data.length === 0 ? (
      <Text c="dimmed">No comments in this period.</Text>
    ) : (
      <Stack gap="sm" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
        {data.map(({ conversationId, rating, comment, ratedAt }) => (
          <li key={conversationId}>
            <Group gap="xs">
              <Text span fw={600} aria-label={`Rated ${rating} out of 5`}>
                {`${rating}/5`}
              </Text>
              <Text span size="sm" c="dimmed">
                <Ago at={ratedAt} />
              </Text>
              <Text span size="sm">
                <TextLink to={`/conversations/${conversationId}`}>View conversation</TextLink>
              </Text>
            </Group>
            <Text style={{ overflowWrap: 'anywhere' }}>{comment}</Text>
          </li>
        ))}
      </Stack>
    )}
    <Pager nextCursor={nextCursor} name={commentsCursor} label="Pages of comments" />
  </Section>
);
