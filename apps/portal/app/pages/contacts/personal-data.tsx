import { Button, Stack, Text } from '@mantine/core';
import { api, call, ConfirmByName, Section, toast, useAction, WithReason } from '@parley/portal-kit/ui';
import { IconDownload, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { useMe } from '../../parts/me.ts';
import { denialReason } from '../../parts/rights.ts';
import type { Contact } from './people.ts';

/** For requests of the person themselves: everything about them, as a file or erased. */
export function PersonalData({ contact }: { contact: Contact }) {
  const { id, externalUserId } = contact;
  const reason = denialReason(useMe(), 'contact.manage');
  const [isErasing, setErasing] = useState(false);
  const navigate = useNavigate();
  const erase = useAction(() => call(api.DELETE('/contacts/{id}', { params: { path: { id } } })), { isQuiet: true });
  const confirm = async () => {
    const receipt = await erase.run();
    if (!receipt) return;
    toast({ message: `Contact erased. Receipt: ${receipt.receiptId}` });
    await navigate('/contacts');
  };
  return (
    <Section title="Personal data">
      <Stack gap="xs" align="flex-start">
        <WithReason reason={reason}>
          <Button
            {...(reason === undefined && { component: 'a', href: `/download/contacts/${id}`, download: true })}
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
            disabled={reason !== undefined}
          >
            Export data
          </Button>
        </WithReason>
        <WithReason reason={reason}>
          <Button
            variant="default"
            {...(reason === undefined && { c: 'var(--bad)' })}
            leftSection={<IconTrash size={16} aria-hidden />}
            disabled={reason !== undefined}
            onClick={() => setErasing(true)}
          >
            Erase contact
          </Button>
        </WithReason>
      </Stack>
      <ConfirmByName
        isOpen={isErasing}
        onClose={() => setErasing(false)}
        title="Erase this contact?"
        name={externalUserId}
        confirmLabel="Erase contact"
        isRunning={erase.isRunning}
        problem={erase.problem}
        onConfirm={() => void confirm()}
      >
        <Text>
          This deletes the contact, the text of all its conversations and the data of the events about them. It can’t be
          undone. The audit log keeps a receipt.
        </Text>
      </ConfirmByName>
    </Section>
  );
}
