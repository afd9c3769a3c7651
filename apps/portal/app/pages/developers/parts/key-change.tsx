import { Button, Group, Radio, Stack, Text, TextInput } from '@mantine/core';
import { api, call, Dialog, ProblemText, trimmedField, useAction } from '@parley/portal-kit/ui';
import { useState, type FormEvent } from 'react';
import type { RevealedKey } from './key-secret.tsx';
import { overlaps, type ApiKey } from './key-labels.ts';

interface Props {
  apiKey: ApiKey;
  isOpen: boolean;
  onClose(): void;
}

/** Creates a new secret under the same ID. Both work until the old one expires. */
export function RotateKey({ apiKey, isOpen, onClose, onRotated }: Props & { onRotated(revealed: RevealedKey): void }) {
  const [overlap, setOverlap] = useState('86400');
  const rotate = useAction(() =>
    call(
      api.POST('/api-keys/{id}/rotate', {
        params: { path: { id: apiKey.id } },
        body: { overlapSeconds: Number(overlap) },
      }),
    ),
  );
  const submit = () =>
    void rotate.run().then((done) => {
      if (!done) return;
      onClose();
      onRotated(done);
    });
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={`Rotate “${apiKey.name}”`}>
      <Stack>
        <Text>You get a new secret. The key’s ID, name and permissions stay the same.</Text>
        <Radio.Group label="Old secret expires" value={overlap} onChange={setOverlap}>
          <Stack gap={6} mt={6}>
            {overlaps.map(({ value, label }) => (
              <Radio key={value} value={value} label={value === '0' ? label : `In ${label}`} />
            ))}
          </Stack>
        </Radio.Group>
        <Text role="status">
          {overlap === '0'
            ? 'Requests with the old secret are rejected within five seconds. Choose this if it has leaked.'
            : `Both secrets work for ${overlaps.find(({ value }) => value === overlap)?.label ?? ''}. Replace the old one everywhere before it expires.`}
        </Text>
        <ProblemText problem={rotate.problem} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button onClick={submit} loading={rotate.isRunning}>
            Rotate key
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

export function RenameKey({ apiKey, isOpen, onClose }: Props) {
  const rename = useAction((name: string) =>
    call(api.PATCH('/api-keys/{id}', { params: { path: { id: apiKey.id } }, body: { name } })),
  );
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const name = trimmedField(new FormData(event.currentTarget), 'name');
    void rename.run(name).then((done) => done && onClose());
  };
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={`Rename “${apiKey.name}”`}>
      <form onSubmit={send}>
        <Stack>
          <TextInput name="name" label="Name" defaultValue={apiKey.name} required maxLength={80} data-autofocus />
          <ProblemText problem={rename.problem} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={rename.isRunning}>
              Rename key
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
