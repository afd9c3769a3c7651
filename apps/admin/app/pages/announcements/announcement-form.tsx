import { Button, Group, NativeSelect, SimpleGrid, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { AnnouncementNote, api, call, Dialog, ProblemText, useAction } from '@parley/portal-kit/ui';
import { useState, type FormEvent } from 'react';
import { kinds, plans, type Announcement, type Kind } from './labels.ts';

interface Props {
  isOpen: boolean;
  before: Announcement | undefined;
  onClose(): void;
}

/** The value of a `datetime-local` input, in the browser's time zone. */
const local = (at: string | null | undefined) => {
  if (!at) return '';
  const time = new Date(at);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
};
const iso = (text: string) => (text ? new Date(text).toISOString() : null);

/** Creates or edits an announcement, with a preview of what customers see. */
export function AnnouncementForm({ isOpen, before, onClose }: Props) {
  const [title, setTitle] = useState(before?.title ?? '');
  const [text, setText] = useState(before?.text ?? '');
  const [kind, setKind] = useState<Kind>(before?.kind ?? 'info');
  const [plan, setPlan] = useState<string>(before?.plan ?? '');
  const [startsAt, setStartsAt] = useState(local(before?.startsAt));
  const [endsAt, setEndsAt] = useState(local(before?.endsAt));
  const save = useAction(() => {
    const starts = startsAt === local(before?.startsAt) ? null : iso(startsAt);
    const body = {
      title,
      text,
      kind,
      endsAt: iso(endsAt),
      plan: (plan || null) as Announcement['plan'],
      ...(starts && { startsAt: starts }),
    };
    if (!before) return call(api.POST('/admin/announcements', { body }));
    return call(api.PATCH('/admin/announcements/{id}', { params: { path: { id: before.id } }, body }));
  });
  const close = () => {
    if (!before) [setTitle, setText].forEach((set) => set(''));
    save.clear();
    onClose();
  };
  const send = async (event: FormEvent) => {
    event.preventDefault();
    if (await save.run()) close();
  };
  return (
    <Dialog isOpen={isOpen} onClose={close} size="lg" title={before ? 'Edit announcement' : 'New announcement'}>
      <form onSubmit={(event) => void send(event)}>
        <Stack>
          <TextInput
            label="Title"
            value={title}
            onChange={(event) => setTitle(event.currentTarget.value)}
            required
            maxLength={120}
            data-autofocus
          />
          <Textarea
            label="Message"
            description="Plain text only. Links and formatting aren’t supported."
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            maxLength={2_000}
            autosize
            minRows={3}
          />
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <NativeSelect
              label="Type"
              data={kinds}
              value={kind}
              onChange={(event) => setKind(event.currentTarget.value as Kind)}
            />
            <NativeSelect
              label="Audience"
              data={plans}
              value={plan}
              onChange={(event) => setPlan(event.currentTarget.value)}
            />
            <TextInput
              type="datetime-local"
              label="Starts"
              description="Leave blank to start now."
              value={startsAt}
              onChange={(event) => setStartsAt(event.currentTarget.value)}
            />
            <TextInput
              type="datetime-local"
              label="Ends"
              description="Leave blank to end it manually."
              value={endsAt}
              onChange={(event) => setEndsAt(event.currentTarget.value)}
            />
          </SimpleGrid>
          <div>
            <Text size="sm" fw={500} mb={4}>
              Preview
            </Text>
            <AnnouncementNote isDraft announcement={{ title: title || 'Title', text, kind }} />
          </div>
          <ProblemText problem={save.problem} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" loading={save.isRunning}>
              {before ? 'Save changes' : 'Publish'}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
