import { Alert, Button, List, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { api, call, ConfirmByName, post, Section, useAction, WithReason } from '@parley/portal-kit/ui';
import { useMe } from '../../../parts/me.ts';
import { whyNot } from '../../../parts/rights.ts';

const What = () => (
  <List spacing={4}>
    <List.Item>Within five seconds nobody can sign in to it, its keys stop, and its chats answer no more.</List.Item>
    <List.Item>For 30 days everything is kept, and we can restore it: write to us.</List.Item>
    <List.Item>
      After that all of it is erased for good: bots, knowledge, conversations, contacts, keys, webhooks and the audit
      log. Nobody can bring it back, also not we.
    </List.Item>
    <List.Item>Accounts of members stay. They may belong to other organisations.</List.Item>
  </List>
);

interface Props {
  name: string;
  onDeleted(erasedAfter: string): void;
}

export function DeleteOrganisation({ name, onDeleted }: Props) {
  const reason = whyNot(useMe(), 'tenant.delete');
  const [isOpen, { open, close }] = useDisclosure();
  // Quiet: nothing of it can be read afterwards, and the page stays to say what was done.
  const remove = useAction(
    async () => {
      const done = await call(api.DELETE('/tenant', { body: { name } }));
      close();
      onDeleted(done.erasedAfter);
    },
    { isQuiet: true },
  );
  return (
    <Section title="Delete the organisation">
      <What />
      <WithReason reason={reason}>
        <Button color="red" variant="outline" w="fit-content" disabled={reason !== undefined} onClick={open}>
          Delete organisation
        </Button>
      </WithReason>
      <ConfirmByName
        isOpen={isOpen}
        title={`Delete ${name}?`}
        name={name}
        verb="Delete organisation"
        isRunning={remove.isRunning}
        problem={remove.problem}
        onConfirm={() => void remove.run()}
        onClose={() => {
          remove.forget();
          close();
        }}
      >
        <What />
        <Text mt="xs">If you last proved who you are more than five minutes ago, you are asked again.</Text>
      </ConfirmByName>
    </Section>
  );
}

/** In place of the settings: there is nothing left to set. */
export const Deleted = ({ name, erasedAfter }: { name: string; erasedAfter: string }) => (
  <Alert color="orange" variant="light" title={`${name} is deleted`} role="alert">
    <Stack gap="sm" align="flex-start">
      <Text>
        It can be restored until {erasedAfter.slice(0, 10)} {erasedAfter.slice(11, 16)} UTC. Write to us before then;
        after it, everything is erased.
      </Text>
      <Button onClick={() => void post('/api/auth/logout').finally(() => location.assign('/sign-in'))}>Sign out</Button>
    </Stack>
  </Alert>
);
