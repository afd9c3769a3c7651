import { Alert, Button, List, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { api, call, ConfirmByName, post, Section, useAction, WithReason } from '@parley/portal-kit/ui';
import { useMe } from '../../../parts/me.ts';
import { denialReason } from '../../../parts/rights.ts';

const DeletionEffects = () => (
  <List spacing={4}>
    <List.Item>Within 5 seconds, members lose access and bots, API keys and webhooks stop working.</List.Item>
    <List.Item>We keep its data for 30 days. To restore it in that time, contact us.</List.Item>
    <List.Item>
      After 30 days, all its data is permanently erased: bots, knowledge, conversations, contacts, keys, webhooks and
      the audit log.
    </List.Item>
    <List.Item>Accounts of members who belong to no other organisation are erased too.</List.Item>
  </List>
);

interface Props {
  name: string;
  onDeleted(erasedAfter: string): void;
}

export function DeleteOrganisation({ name, onDeleted }: Props) {
  const reason = denialReason(useMe(), 'tenant.delete');
  const [isOpen, { open, close }] = useDisclosure();
  // Quiet: the data can't be read any more, so the page isn't reloaded and shows the result.
  const remove = useAction(
    async () => {
      const done = await call(api.DELETE('/tenant', { body: { name } }));
      close();
      onDeleted(done.erasedAfter);
    },
    { isQuiet: true },
  );
  return (
    <Section title="Delete organisation">
      <DeletionEffects />
      <WithReason reason={reason}>
        <Button color="red" variant="outline" w="fit-content" disabled={reason !== undefined} onClick={open}>
          Delete organisation
        </Button>
      </WithReason>
      <ConfirmByName
        isOpen={isOpen}
        title={`Delete ${name}?`}
        name={name}
        confirmLabel="Delete organisation"
        isRunning={remove.isRunning}
        problem={remove.problem}
        onConfirm={() => void remove.run()}
        onClose={() => {
          remove.clear();
          close();
        }}
      >
        <DeletionEffects />
        <Text mt="xs">If you haven’t confirmed it’s you in the last 5 minutes, we’ll ask you to.</Text>
      </ConfirmByName>
    </Section>
  );
}

/** Replaces the settings once the organisation is deleted. */
export const Deleted = ({ name, erasedAfter }: { name: string; erasedAfter: string }) => (
  <Alert color="orange" variant="light" title={`${name} was deleted`} role="alert">
    <Stack gap="sm" align="flex-start">
      <Text>
        To restore it, contact us before {erasedAfter.slice(0, 10)} {erasedAfter.slice(11, 16)} UTC. After that, its
        data is permanently erased.
      </Text>
      <Button onClick={() => void post('/api/auth/logout').finally(() => location.assign('/sign-in'))}>Sign out</Button>
    </Stack>
  </Alert>
);
