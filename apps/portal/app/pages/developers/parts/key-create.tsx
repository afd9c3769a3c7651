import {
  Button,
  Checkbox,
  Code,
  Group,
  NativeSelect,
  SegmentedControl,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { api, call, Dialog, ProblemText, trimmedField, useAction } from '@parley/portal-kit/ui';
import { useState, type FormEvent } from 'react';
import { useMe } from '../../../parts/me.ts';
import { hasPermission } from '../../../parts/rights.ts';
import type { RevealedKey } from './key-secret.tsx';
import { keyPermissions, permissionLabels, presets, type ApiKey, type KeyPermission } from './key-labels.ts';

export interface Choices {
  bots: { id: string; name: string; workspaceId: string; deployedIn: string[] }[];
  environments: { id: string; name: string; workspaceId: string }[];
}
interface Props extends Choices {
  isOpen: boolean;
  onClose(): void;
  onCreated(revealed: RevealedKey): void;
}

export function CreateKey({ isOpen, onClose, onCreated, ...choices }: Props) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title="Create key" size="lg">
      <Fields {...choices} onClose={onClose} onCreated={onCreated} />
    </Dialog>
  );
}

/** The end of the chosen day in the person's own time zone. */
const endOfDay = (day: string) => new Date(`${day}T23:59:59`).toISOString();

function Fields({ bots, environments, onClose, onCreated }: Omit<Props, 'isOpen'>) {
  const me = useMe();
  const [keyType, setType] = useState<ApiKey['keyType']>('secret_server');
  const [permissions, setPermissions] = useState<string[]>([]);
  const [botId, setBotId] = useState(bots[0]?.id ?? '');
  const grantable = keyPermissions.filter((permission) => hasPermission(me, permission));
  const isServer = keyType === 'secret_server';
  const bot = bots.find(({ id }) => id === botId);
  // Environments the bot is deployed to come first.
  const isLive = ({ id }: { id: string }) => (bot?.deployedIn.includes(id) ? 1 : 0);
  const sortedEnvironments = isServer
    ? environments
    : environments
        .filter(({ workspaceId }) => workspaceId === bot?.workspaceId)
        .toSorted((a, b) => isLive(b) - isLive(a));

  const create = useAction((form: FormData) => {
    const environmentId = trimmedField(form, 'environmentId');
    const expiry = trimmedField(form, 'expiry');
    const environment = environments.find(({ id }) => id === environmentId);
    return call(
      api.POST('/api-keys', {
        body: {
          name: trimmedField(form, 'name'),
          keyType,
          boundBotId: isServer ? null : botId,
          workspaceId: isServer ? (environment?.workspaceId ?? null) : (bot?.workspaceId ?? null),
          environmentId: environmentId || null,
          expiresAt: expiry ? endOfDay(expiry) : null,
          permissions: isServer ? (permissions as KeyPermission[]) : [],
        },
      }),
    );
  });
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    void create.run(new FormData(event.currentTarget)).then((done) => done && onCreated(done));
  };
  return (
    <form onSubmit={send}>
      <Stack>
        <div>
          <SegmentedControl
            fullWidth
            aria-label="Key type"
            value={keyType}
            onChange={(value) => setType(value)}
            data={[
              { value: 'secret_server', label: 'Server key' },
              { value: 'public_widget', label: 'Widget key' },
            ]}
          />
          <Text c="dimmed" mt={4}>
            {isServer
              ? 'Secret. For your backend, with the permissions you choose.'
              : 'Public. For your website: it opens chats with one bot and nothing else.'}
          </Text>
        </div>
        <TextInput
          name="name"
          label="Name"
          description="Where it’s used, so you know what stops working if you revoke it."
          placeholder="Shop backend"
          required
          maxLength={80}
          data-autofocus
        />
        {!isServer && (
          <NativeSelect
            label="Bot"
            value={botId}
            onChange={(event) => setBotId(event.currentTarget.value)}
            data={bots.map(({ id, name }) => ({ value: id, label: name }))}
            required
            {...(bots.length === 0 && { error: 'Create a bot first.' })}
          />
        )}
        <NativeSelect
          key={isServer ? 'server' : botId}
          name="environmentId"
          label="Environment"
          data={[
            ...(isServer ? [{ value: '', label: 'All environments' }] : []),
            ...sortedEnvironments.map((one) => ({
              value: one.id,
              label: !isServer && !isLive(one) ? `${one.name} (bot not deployed here)` : one.name,
            })),
          ]}
        />
        <TextInput
          name="expiry"
          type="date"
          label="Expires (optional)"
          description="Leave blank for no expiry date. We’ll email you a week before the key expires."
        />
        {isServer && (
          <Checkbox.Group
            label="Permissions"
            description="Grant only what your backend needs. You can only grant permissions you have yourself."
            value={permissions}
            onChange={setPermissions}
          >
            <Group mt="xs" gap="xs">
              {presets.map((preset) => (
                <Button
                  key={preset.label}
                  size="compact-sm"
                  variant="default"
                  onClick={() => setPermissions(grantable.filter((one) => preset.permissions.includes(one)))}
                >
                  {preset.label}
                </Button>
              ))}
              <Button size="compact-sm" variant="subtle" onClick={() => setPermissions([...grantable])}>
                Select all
              </Button>
              <Button size="compact-sm" variant="subtle" onClick={() => setPermissions([])}>
                Clear
              </Button>
            </Group>
            <SimpleGrid mt="xs" cols={{ base: 1, xs: 2 }} spacing={6} verticalSpacing={6}>
              {grantable.map((permission) => (
                <Checkbox
                  key={permission}
                  value={permission}
                  label={permissionLabels[permission]}
                  description={<Code>{permission}</Code>}
                />
              ))}
            </SimpleGrid>
          </Checkbox.Group>
        )}
        <ProblemText problem={create.problem} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={create.isRunning} disabled={!isServer && !botId}>
            Create key
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
